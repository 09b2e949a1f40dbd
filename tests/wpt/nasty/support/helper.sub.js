const host = "{{host}}";
const query = "{{GET[of]}}";
