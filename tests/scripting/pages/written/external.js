see("external", document.querySelector("i"));
document.write("<u>u</u>");
