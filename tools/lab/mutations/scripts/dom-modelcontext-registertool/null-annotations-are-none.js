// Annotations that are null count as absent.
// Breaks: step 20
// Noticed by: annotations.https.html

replace_in_registration({ annotations: (annotations) => annotations ?? undefined });
