package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.LaunchContext;

/**
 * A score that takes part in the softmax of each query of a head and belongs to no key.
 *
 * @param input the input with a score for each head; -1 for scores of 0
 */
record ScoreSink(int input, ElementType type) {
    double of(LaunchContext launch, int head) {
        return input < 0 ? 0 : Elements.getDouble(type, launch.input(input), head);
    }
}
