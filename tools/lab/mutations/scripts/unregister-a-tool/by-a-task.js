// A tool is removed by a task, some time after abort() has returned.
// Breaks: step 5

replace_registration_signal((controller, signal) => later(() => controller.abort(signal.reason)));
