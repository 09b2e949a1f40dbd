// Frames within frames are left out.
// Breaks: step 4
// Noticed by: exposure-nested.https.html

change_list((tools) => tools.filter((tool) => tool.window === top || tool.window.parent === top));
