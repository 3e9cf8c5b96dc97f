/**
 * The infrastructure of the drivers of all families: parallel loops on the caller's threads, checks of operands, plans
 * of calls, the work that pays for a thread, scratch memory and packed bytes.
 */
@NullMarked
package dev.millrace.kernels.call;

import org.jspecify.annotations.NullMarked;
