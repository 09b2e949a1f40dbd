window.config = { title: "My notes", most: 5 };
