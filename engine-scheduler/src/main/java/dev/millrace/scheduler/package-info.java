/// Cancellation of runs. Packages below hold devices, kernels, plans, the worker pool and runs.
@NullMarked
package dev.millrace.scheduler;

import org.jspecify.annotations.NullMarked;
