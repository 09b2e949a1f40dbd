// The platform in one realm: runs once in each, before any script of its document.
import "./intrinsics.js";
import "./exceptions.js";
import "./interfaces.js";
import "./values.js";
import "./urls.js";
import "./clones.js";
import "./elements.js";
import "./window.js";
import "./console.js";
import "./fetch.js";
import "./missing.js";
import "./hub.js";
import "./named.js";
