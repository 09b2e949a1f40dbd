// What a script does to the documents of its program, which the stage performs; see ../frames.js.
import { stage } from "./stage.js";

/** @type {(id: string, loaded: () => void) => void} */
export const makeFrame = (id, loaded) => stage("add_frame", id, loaded);

/** Returns true: the stage does nothing to a frame that has been removed. */
export const hasFrame = (/** @type {string} */ _) => true;

export const removeFrame = (/** @type {string} */ id) => stage("remove_frame", id);

/** @type {(id: string, to: string, loaded: () => void) => void} */
export const navigateFrame = (id, to, loaded) => stage("navigate", id, to, loaded);

/** @type {(id: string, loaded: () => void) => void} */
export const open = (id, loaded) => stage("open", id, loaded);

export const closeWindow = (/** @type {string} */ id) => stage("close", id);

/** @type {(id: string, shown: () => void) => void} */
export const leave = (id, shown) => stage("leave", id, shown);

export const goBack = () => stage("go_back");

/** @type {(type: string, listener: () => void) => void} */
export const onPageTransition = (type, listener) => stage("on_page_transition", type, listener);
