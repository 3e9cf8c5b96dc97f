package dev.millrace.scheduler.kernel;

/**
 * The executable form of one node of a plan. Immutable and shared by every thread; it lives as long as the plan. {@link
 * ShapedKernel} is the rule; {@link DynamicKernel} is for what no shape can foretell.
 */
public sealed interface Kernel permits ShapedKernel, DynamicKernel {}
