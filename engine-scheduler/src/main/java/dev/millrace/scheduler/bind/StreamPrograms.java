package dev.millrace.scheduler.bind;

import dev.millrace.scheduler.bind.StreamClocks.StepTime;
import dev.millrace.scheduler.device.Device;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The instructions of each stream of a stretch, in order. A step that reads a value of another stream comes after a
 * barrier, which opens when the step that makes the value was submitted, and after a wait where that step's device is
 * asynchronous; the step is followed by an activation of its notification and a trigger for each barrier.
 *
 * @param barriers the number of barriers
 * @param notifications the number of notifications
 */
public record StreamPrograms(List<Device> devices, List<List<Instruction>> programs, int barriers, int notifications) {

    /** One entry of a program. */
    public sealed interface Instruction {
        /** Runs a step, or submits it; {@code number} is its index in the stretch. */
        record Launch(BoundStep step, int number) implements Instruction {}

        /** Continues when the other stream has reached its trigger; until then the stream occupies no thread. */
        record Barrier(int barrier) implements Instruction {}

        /**
         * Waits for a notification: the stream's device does, or, with {@code onHost}, what submits the stream's steps,
         * which occupies no thread meanwhile.
         */
        record Wait(int notification, boolean onHost) implements Instruction {}

        /** Activates a notification, which marks the point after the previous step. */
        record Activate(int notification) implements Instruction {}

        /** Opens a barrier; the second of trigger and barrier continues {@code stream} at {@code resumeAt}. */
        record Trigger(int barrier, int stream, int resumeAt) implements Instruction {}
    }

    /** Whether there is nothing to run. */
    public boolean isEmpty() {
        return programs.stream().allMatch(List::isEmpty);
    }

    /** @param times the place of each step in the order of the streams; empty where there is one stream of the host */
    static StreamPrograms of(List<BoundStep> steps, List<StepTime> times, List<Device> devices) {
        return new Builder(devices).build(steps, times);
    }

    private static final class Builder {
        private final List<Device> devices;
        private final List<List<Instruction>> programs = new ArrayList<>();
        private final Map<StepTime, Integer> notificationOf = new HashMap<>();
        /** The barriers that wait for a step, by the step that they wait for and in the order of the waiting steps. */
        private final Map<StepTime, List<Waiter>> waiters = new HashMap<>();

        private int barriers;

        /** A step that waits for another one, and the barrier that it waits at. */
        private record Waiter(StepTime step, int barrier) {}

        Builder(List<Device> devices) {
            this.devices = devices;
            for (int i = 0; i < devices.size(); i++) {
                programs.add(new ArrayList<>());
            }
        }

        StreamPrograms build(List<BoundStep> steps, List<StepTime> times) {
            if (times.isEmpty()) {
                for (int i = 0; i < steps.size(); i++) {
                    programs.getFirst().add(new Instruction.Launch(steps.get(i), i));
                }
            } else {
                times.forEach(this::addBarriers);
                var resumeAt = new int[barriers];
                for (int i = 0; i < steps.size(); i++) {
                    emit(steps.get(i), times.get(i), i, resumeAt);
                }
                programs.forEach(program -> program.replaceAll(each -> each instanceof Instruction.Trigger trigger
                        ? new Instruction.Trigger(trigger.barrier(), trigger.stream(), resumeAt[trigger.barrier()])
                        : each));
            }
            return new StreamPrograms(
                    devices, programs.stream().map(List::copyOf).toList(), barriers, notificationOf.size());
        }

        private void addBarriers(StepTime time) {
            for (StreamClocks.Wait wait : time.waits) {
                StepTime producer = wait.step();
                if (producer.stream != time.stream) {
                    waiters.computeIfAbsent(producer, key -> new ArrayList<>()).add(new Waiter(time, barriers++));
                }
                if (isAsynchronous(producer)) {
                    notificationOf.putIfAbsent(producer, notificationOf.size());
                }
            }
        }

        private boolean isAsynchronous(StepTime step) {
            return devices.get(step.stream).isAsynchronous();
        }

        private void emit(BoundStep bound, StepTime time, int number, int[] resumeAt) {
            List<Instruction> program = programs.get(time.stream);
            for (StreamClocks.Wait wait : time.waits) {
                if (wait.step().stream != time.stream) {
                    int barrier = barrierOf(wait.step(), time);
                    program.add(new Instruction.Barrier(barrier));
                    resumeAt[barrier] = program.size();
                }
                if (isAsynchronous(wait.step())) {
                    program.add(new Instruction.Wait(notification(wait.step()), wait.onHost()));
                }
            }
            program.add(new Instruction.Launch(bound, number));
            if (notificationOf.containsKey(time)) {
                program.add(new Instruction.Activate(notification(time)));
            }
            for (Waiter waiter : waiters.getOrDefault(time, List.of())) {
                program.add(new Instruction.Trigger(waiter.barrier(), waiter.step().stream, -1));
            }
        }

        private int barrierOf(StepTime producer, StepTime reader) {
            for (Waiter waiter : Objects.requireNonNull(waiters.get(producer))) {
                if (waiter.step() == reader) {
                    return waiter.barrier();
                }
            }
            throw new IllegalStateException("a wait without a barrier");
        }

        private int notification(StepTime step) {
            @Nullable Integer number = notificationOf.get(step);
            return Objects.requireNonNull(number);
        }
    }
}
