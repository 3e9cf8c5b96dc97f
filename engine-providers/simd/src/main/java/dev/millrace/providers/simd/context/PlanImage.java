package dev.millrace.providers.simd.context;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A plan as it is kept.
 *
 * @param segments the bulk data, as {@code plan} counts it
 */
record PlanImage(byte[] plan, List<MemorySegment> segments) {}
