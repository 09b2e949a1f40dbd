export { default } from "./small.js";
