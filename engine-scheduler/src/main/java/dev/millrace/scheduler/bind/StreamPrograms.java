package dev.millrace.scheduler.bind;

import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The instructions of each stream of a stretch, in order. A step that reads a value of another stream comes after a
 * barrier, and after a wait where that stream's device is asynchronous; the producer of the value activates its
 * notification and triggers the barrier.
 *
 * @param barriers the number of barriers
 * @param notifications the stream that owns each notification
 */
public record StreamPrograms(
        List<Device> devices, List<List<Instruction>> programs, int barriers, List<Integer> notifications) {

    /** One entry of a program. */
    public sealed interface Instruction {
        /** Runs a step; {@code number} is its index in the stretch. */
        record Launch(BoundStep step, int number) implements Instruction {}

        /** Continues when the other stream has reached its trigger; until then the stream occupies no thread. */
        record Barrier(int barrier) implements Instruction {}

        /** Makes this stream's device wait for a notification of another. */
        record Wait(int notification) implements Instruction {}

        /** Activates a notification, which marks the point after the previous step. */
        record Activate(int notification) implements Instruction {}

        /** Opens a barrier; the second of trigger and barrier continues {@code stream} at {@code resumeAt}. */
        record Trigger(int barrier, int stream, int resumeAt) implements Instruction {}
    }

    public static StreamPrograms of(List<BoundStep> steps, List<Device> devices) {
        return new Builder(devices).build(steps);
    }

    private static final class Builder {
        private final List<Device> devices;
        private final List<List<Instruction>> programs = new ArrayList<>();
        private final List<Integer> notifications = new ArrayList<>();
        private final Map<Integer, BoundStep> producers = new HashMap<>();
        private final Map<PlanStep, Integer> notificationOf = new HashMap<>();
        private final Map<PlanStep, List<BoundStep>> consumers = new LinkedHashMap<>();
        private final Map<PlanStep, List<Integer>> triggerPlaces = new HashMap<>();
        private int barriers;

        Builder(List<Device> devices) {
            this.devices = devices;
            for (int i = 0; i < devices.size(); i++) {
                programs.add(new ArrayList<>());
            }
        }

        StreamPrograms build(List<BoundStep> steps) {
            for (BoundStep step : steps) {
                for (int slot : step.outputs) {
                    producers.put(slot, step);
                }
            }
            for (BoundStep step : steps) {
                for (BoundStep producer : foreignProducers(step)) {
                    consumers
                            .computeIfAbsent(producer.step(), key -> new ArrayList<>())
                            .add(step);
                }
            }
            for (int i = 0; i < steps.size(); i++) {
                emit(steps.get(i), i);
            }
            return new StreamPrograms(
                    devices, programs.stream().map(List::copyOf).toList(), barriers, notifications);
        }

        private void emit(BoundStep bound, int number) {
            PlanStep step = bound.step();
            List<Instruction> program = programs.get(step.stream());
            for (BoundStep producer : foreignProducers(bound)) {
                int barrier = barriers++;
                program.add(new Instruction.Barrier(barrier));
                openBarrier(producer.step(), new Instruction.Trigger(barrier, step.stream(), program.size()));
                Integer notification = notificationOf.get(producer.step());
                if (notification != null) {
                    program.add(new Instruction.Wait(notification));
                }
            }
            program.add(new Instruction.Launch(bound, number));
            List<BoundStep> readers = consumers.getOrDefault(step, List.of());
            if (readers.isEmpty()) {
                return;
            }
            if (devices.get(step.stream()).isAsynchronous()) {
                notificationOf.put(step, notifications.size());
                program.add(new Instruction.Activate(notifications.size()));
                notifications.add(step.stream());
            }
            var places = new ArrayList<Integer>();
            for (int i = 0; i < readers.size(); i++) {
                places.add(program.size());
                // set when the reader's own index is known
                program.add(new Instruction.Trigger(-1, -1, -1));
            }
            triggerPlaces.put(step, places);
        }

        private void openBarrier(PlanStep producer, Instruction.Trigger trigger) {
            List<Integer> places = triggerPlaces.getOrDefault(producer, new ArrayList<>());
            programs.get(producer.stream()).set(places.removeFirst(), trigger);
        }

        /** Returns the steps of other streams whose results this one reads, each once. */
        private LinkedHashSet<BoundStep> foreignProducers(BoundStep bound) {
            var found = new LinkedHashSet<BoundStep>();
            for (int slot : bound.inputs) {
                addForeign(found, bound, slot);
            }
            bound.step()
                    .nested()
                    .values()
                    .forEach(nested ->
                            nested.captures().forEach(capture -> addForeign(found, bound, capture.outerSlot())));
            return found;
        }

        private void addForeign(LinkedHashSet<BoundStep> found, BoundStep reader, int slot) {
            BoundStep producer = producers.get(slot);
            if (producer != null && producer.step().stream() != reader.step().stream()) {
                found.add(producer);
            }
        }
    }
}
