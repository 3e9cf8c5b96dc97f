package dev.millrace.scheduler.plan;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.Device;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The plan of a model: its steps in topological order, and the slots between them. Immutable, shared by all threads and
 * runs.
 *
 * @param inputs slots of the inputs, in the model's order
 * @param outputs slots of the outputs; one slot may stand for several
 * @param defaults contents of inputs that a caller may leave out, by slot
 * @param streams the device of each stream
 */
public record Plan(
        String name,
        List<Slot> slots,
        List<PlanStep> steps,
        List<Integer> inputs,
        List<Integer> outputs,
        List<String> outputNames,
        Map<Integer, Tensor> defaults,
        List<Device> streams) {

    public Plan {
        slots = List.copyOf(slots);
        steps = List.copyOf(steps);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        outputNames = List.copyOf(outputNames);
        defaults = Collections.unmodifiableMap(new LinkedHashMap<>(defaults));
        streams = List.copyOf(streams);
    }

    /** Returns the plan with other steps on other streams. */
    Plan with(List<PlanStep> otherSteps, List<Device> otherStreams) {
        return new Plan(name, slots, otherSteps, inputs, outputs, outputNames, defaults, otherStreams);
    }

    /** Whether one stream of the host runs all steps. */
    public boolean isPlain() {
        return streams.size() == 1 && !streams.getFirst().isAsynchronous();
    }

    /** The devices that work on their own, each once. */
    public List<Device> devices() {
        return streams.stream().filter(Device::isAsynchronous).distinct().toList();
    }

    public List<String> inputNames() {
        return inputs.stream().map(slot -> slots.get(slot).name()).toList();
    }
}
