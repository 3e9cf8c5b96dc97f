package dev.millrace.providers.testkit.device;

import java.util.List;

/**
 * The memory that a launch uses.
 *
 * @param inputs the inputs that lie on the device
 * @param hostInputs the inputs that lie on the host
 * @param outputs the outputs that it writes
 */
record LaunchArguments(List<Integer> inputs, List<Integer> hostInputs, List<Integer> outputs, boolean hasWorkspace) {
    LaunchArguments {
        inputs = List.copyOf(inputs);
        hostInputs = List.copyOf(hostInputs);
        outputs = List.copyOf(outputs);
    }
}
