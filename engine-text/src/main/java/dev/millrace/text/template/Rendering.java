package dev.millrace.text.template;

import java.time.Clock;

/**
 * The bounds and the surroundings of a rendering.
 *
 * @param steps the largest number of steps, each an evaluated expression, a statement, or the work on some 64 chars
 * @param clock the time that {@code strftime_now} tells
 * @param check is called every few hundred steps; it throws to end the rendering
 */
public record Rendering(long steps, Clock clock, Runnable check) {}
