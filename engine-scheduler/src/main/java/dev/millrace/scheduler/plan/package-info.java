/** Plans, and bindings of plans to shapes. */
@NullMarked
package dev.millrace.scheduler.plan;

import org.jspecify.annotations.NullMarked;
