// Annotations that are null count as absent.
// Breaks: step 20

replace_in_registration({ annotations: (annotations) => annotations ?? undefined });
