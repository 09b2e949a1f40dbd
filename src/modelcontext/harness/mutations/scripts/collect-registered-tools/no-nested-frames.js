// Frames within frames are left out.
// Breaks: step 3

change_list((tools) => tools.filter((tool) => tool.window === top || tool.window.parent === top));
