// debugging is not stored.
// Breaks: step 20.2

replace_in_registration({ annotations: (annotations) => (is_object(annotations) ? watch(annotations, { debugging: () => false }).object : annotations) });
