package dev.millrace.scheduler.plan;

import dev.millrace.scheduler.device.Device;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Spreads the steps of a device over as many streams as it says that it can use at a time. A step goes on the stream of a
 * step whose result it reads, where nothing has come behind that yet: a chain stays on one stream and needs no wait. The
 * first step of a branch goes on the stream that has the fewest steps.
 */
final class StreamSpread {
    private final List<Device> streams;
    private final Map<Device, List<Integer>> streamsOf = new HashMap<>();
    /** The step that each stream ended with so far. */
    private final Map<Integer, PlanStep> last = new HashMap<>();

    private final Map<Integer, Integer> lengths = new HashMap<>();
    /** The stream of the step that makes each slot. */
    private final Map<Integer, PlanStep> makers = new HashMap<>();

    private StreamSpread(Plan plan) {
        streams = new ArrayList<>(plan.streams());
        for (int i = 0; i < streams.size(); i++) {
            streamsOf.computeIfAbsent(streams.get(i), key -> new ArrayList<>()).add(i);
        }
    }

    /** Returns a plan whose steps are spread; the same plan where no device can use several streams. */
    static Plan of(Plan plan) {
        return plan.streams().stream().anyMatch(device -> device.concurrentStreams() > 1)
                ? new StreamSpread(plan).spread(plan)
                : plan;
    }

    private Plan spread(Plan plan) {
        var steps = new ArrayList<PlanStep>(plan.steps().size());
        for (PlanStep step : plan.steps()) {
            PlanStep spread = step.on(stream(plan.streams().get(step.stream()), step));
            last.put(spread.stream(), spread);
            lengths.merge(spread.stream(), 1, Integer::sum);
            spread.outputs().forEach(slot -> makers.put(slot, spread));
            steps.add(spread);
        }
        return plan.with(steps, streams);
    }

    private int stream(Device device, PlanStep step) {
        List<Integer> ofDevice = Objects.requireNonNull(streamsOf.get(device));
        for (int input : step.inputs()) {
            PlanStep maker = input == PlanStep.NONE ? null : makers.get(input);
            if (maker != null && ofDevice.contains(maker.stream()) && last.get(maker.stream()) == maker) {
                return maker.stream();
            }
        }
        int shortest = ofDevice.getFirst();
        for (int stream : ofDevice) {
            if (lengths.getOrDefault(stream, 0) < lengths.getOrDefault(shortest, 0)) {
                shortest = stream;
            }
        }
        if (lengths.getOrDefault(shortest, 0) > 0 && ofDevice.size() < device.concurrentStreams()) {
            streams.add(device);
            ofDevice.add(streams.size() - 1);
            return streams.size() - 1;
        }
        return shortest;
    }
}
