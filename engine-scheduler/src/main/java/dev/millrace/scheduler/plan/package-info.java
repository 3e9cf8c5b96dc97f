/** Plans: steps, slots, nested plans, and the planner that assigns memory to values. */
@NullMarked
package dev.millrace.scheduler.plan;

import org.jspecify.annotations.NullMarked;
