package dev.millrace.scheduler.plan;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives each slot of a plan its place, and adds the copies between places. A value is copied once to each place where it
 * is read and does not lie: to a device right before its first reader there, to the host right behind the step that makes
 * it. The copy is another slot, so that a value that goes back to a place where it was is not copied again. Constants get
 * a slot on each device that reads them, and no step.
 */
final class PlanPlacement {
    private static final OpId COPY = new OpId("dev.millrace", "Copy");

    private final Plan plan;
    private final List<Device> streams;
    private final List<Slot> slots;
    /** The place of each slot. */
    private final List<MemoryPlace> places = new ArrayList<>();
    /** The copies of each slot, by their places. */
    private final Map<Integer, Map<MemoryPlace, Integer>> copies = new HashMap<>();

    private final List<PlanStep> steps = new ArrayList<>();
    private final Graph copyNodes;

    private PlanPlacement(Plan plan) {
        this.plan = plan;
        this.streams = new ArrayList<>(plan.streams());
        this.slots = new ArrayList<>(plan.slots());
        this.copyNodes = Graph.named(plan.name() + ": copies");
        slots.forEach(slot -> places.add(MemoryPlace.HOST));
    }

    /** Returns a plan with places and copies; the same plan where the host alone computes. */
    static Plan of(Plan plan) {
        return plan.streams().stream().anyMatch(Device::isAsynchronous)
                ? new PlanPlacement(StreamSpread.of(plan)).placed()
                : plan;
    }

    private Plan placed() {
        for (PlanStep step : plan.steps()) {
            Device device = deviceOf(step);
            for (int i = 0; i < step.outputs().size(); i++) {
                int slot = step.outputs().get(i);
                if (slot != PlanStep.NONE) {
                    places.set(slot, device.isAsynchronous() ? step.kernel().outputPlace(device, i) : MemoryPlace.HOST);
                }
            }
        }
        Map<Integer, Boolean> hostReads = readOnHost();
        for (PlanStep step : plan.steps()) {
            addStep(step);
            for (int slot : step.outputs()) {
                if (slot != PlanStep.NONE && hostReads.containsKey(slot)) {
                    at(slot, MemoryPlace.HOST, steps.getLast().stream());
                }
            }
        }
        List<Integer> outputs = plan.outputs().stream()
                .map(slot -> at(slot, MemoryPlace.HOST, 0))
                .toList();
        return new Plan(
                plan.name(),
                withLastUses(outputs),
                steps,
                plan.inputs(),
                outputs,
                plan.outputNames(),
                plan.defaults(),
                streams);
    }

    /** The device that runs a step. A dynamic kernel sees its inputs on the host, and runs there. */
    private Device deviceOf(PlanStep step) {
        Device device = plan.streams().get(step.stream());
        return step.kernel() instanceof DynamicKernel && device.isAsynchronous() ? Device.CPU : device;
    }

    /** The slots that the host reads: outputs of the plan, inputs of its steps, captures of nested graphs. */
    private Map<Integer, Boolean> readOnHost() {
        var read = new HashMap<Integer, Boolean>();
        plan.outputs().forEach(slot -> read.put(slot, true));
        for (PlanStep step : plan.steps()) {
            for (int i = 0; i < step.inputs().size(); i++) {
                if (wanted(step, i).isHost()) {
                    read.put(step.inputs().get(i), true);
                }
            }
            step.nested()
                    .values()
                    .forEach(nested -> nested.captures().forEach(capture -> read.put(capture.outerSlot(), true)));
        }
        return read;
    }

    private MemoryPlace wanted(PlanStep step, int input) {
        Device device = deviceOf(step);
        return device.isAsynchronous() ? step.kernel().inputPlace(device, input) : MemoryPlace.HOST;
    }

    private void addStep(PlanStep step) {
        var inputs = new ArrayList<Integer>();
        for (int i = 0; i < step.inputs().size(); i++) {
            int slot = step.inputs().get(i);
            inputs.add(slot == PlanStep.NONE ? slot : at(slot, wanted(step, i), step.stream()));
        }
        var nested = new LinkedHashMap<String, NestedPlan>();
        step.nested()
                .forEach((name, body) -> nested.put(
                        name,
                        new NestedPlan(
                                body.plan(),
                                body.captures().stream()
                                        .map(capture -> new NestedPlan.Capture(
                                                at(capture.outerSlot(), MemoryPlace.HOST, step.stream()),
                                                capture.innerSlot()))
                                        .toList())));
        steps.add(new PlanStep(
                steps.size(),
                step.node(),
                step.kernel(),
                step.provider(),
                deviceOf(step) == plan.streams().get(step.stream()) ? step.stream() : stream(deviceOf(step)),
                inputs,
                step.outputs(),
                nested));
    }

    private int stream(Device device) {
        int known = streams.indexOf(device);
        if (known >= 0) {
            return known;
        }
        streams.add(device);
        return streams.size() - 1;
    }

    /**
     * The slot that holds a value at a place: the value's own, or a copy that is added where there is none yet.
     *
     * @param near the stream that copies it where it can
     */
    private int at(int slot, MemoryPlace wanted, int near) {
        MemoryPlace there = places.get(slot);
        if (there.isReadableFrom(wanted)) {
            return slot;
        }
        Map<MemoryPlace, Integer> known = copies.computeIfAbsent(slot, key -> new HashMap<>());
        Integer copy = known.get(wanted);
        if (copy == null) {
            copy = slots.get(slot).constant() == null ? copy(slot, wanted, near) : copyOfConstant(slot, wanted);
            known.put(wanted, copy);
        }
        return copy;
    }

    /** Adds a constant on a device, in the memory that the device has for constants, if it has one. */
    private int copyOfConstant(int slot, MemoryPlace wanted) {
        boolean isApart = wanted.kind() == MemoryKind.DEFAULT
                && wanted.device().memories().contains(MemoryKind.READ_ONLY);
        return addSlot(slots.get(slot), isApart ? new MemoryPlace(wanted.device(), MemoryKind.READ_ONLY) : wanted);
    }

    private int addSlot(Slot original, MemoryPlace place) {
        int index = slots.size();
        slots.add(new Slot(index, original.name(), original.type(), original.constant(), -1, place));
        places.add(place);
        return index;
    }

    private int copy(int slot, MemoryPlace wanted, int near) {
        MemoryPlace there = places.get(slot);
        Device device = deviceFor(there, wanted);
        if (device == Device.CPU) {
            return at(at(slot, MemoryPlace.HOST, near), wanted, near);
        }
        int copy = addSlot(slots.get(slot), wanted);
        steps.add(new PlanStep(
                steps.size(),
                node(slots.get(slot)),
                new CopyKernel(there, wanted),
                device.info().name(),
                streams.get(near) == device ? near : stream(device),
                List.of(slot),
                List.of(copy),
                Map.of()));
        return copy;
    }

    /** The device whose stream copies between two places; the host where the copy has to go through it. */
    private static Device deviceFor(MemoryPlace from, MemoryPlace to) {
        for (Device device : List.of(to.device(), from.device())) {
            if (device.isAsynchronous() && device.transfer().canCopy(from, to)) {
                return device;
            }
        }
        if (from.isHost() || to.isHost()) {
            throw EngineException.invalidGraph("no device copies from " + from + " to " + to);
        }
        return Device.CPU;
    }

    private Node node(Slot slot) {
        var editor = new GraphEditor(copyNodes);
        var input = editor.addInput(slot.name() + "#" + steps.size(), slot.type());
        return editor.append(NodeSpec.of(COPY, 1, input), List.of(slot.name() + "@" + steps.size()));
    }

    private List<Slot> withLastUses(List<Integer> outputs) {
        int[] last = new int[slots.size()];
        Arrays.fill(last, -1);
        for (PlanStep step : steps) {
            step.inputs().stream().filter(slot -> slot != PlanStep.NONE).forEach(slot -> last[slot] = step.index());
            step.nested()
                    .values()
                    .forEach(nested -> nested.captures().forEach(capture -> last[capture.outerSlot()] = step.index()));
        }
        outputs.forEach(slot -> last[slot] = Integer.MAX_VALUE);
        var placed = new ArrayList<Slot>(slots.size());
        for (Slot slot : slots) {
            placed.add(new Slot(
                    slot.index(),
                    slot.name(),
                    slot.type(),
                    slot.constant(),
                    last[slot.index()],
                    places.get(slot.index())));
        }
        return placed;
    }
}
