package dev.millrace.scheduler.bind;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.scheduler.bind.SlotTable.Entry;
import dev.millrace.scheduler.bind.StreamClocks.StepTime;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.plan.MemoryPlanner;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.scheduler.plan.SlotPool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides where the values of a stretch lie. Values that are the same memory (aliases, results written in place) share
 * one buffer. Each place has a block, in which buffers take each other's place when their time is over: the order of the
 * steps says so where there is one stream, and the clocks of the streams where there are several.
 */
final class StretchLayout {
    private final Plan plan;
    private final SlotTable slots;
    /** The slots that are aliases, and those with a buffer, in the order in which they were placed. */
    private final List<Entry> aliases = new ArrayList<>();

    private final List<Entry> placed = new ArrayList<>();
    /** The buffers of workspaces, by their places. */
    private final Map<MemoryPlace, List<Buffer>> workspaces = new LinkedHashMap<>();

    private final Map<Integer, Integer> outputOf = new HashMap<>();

    StretchLayout(Plan plan, SlotTable slots) {
        this.plan = plan;
        this.slots = slots;
        for (int i = plan.outputs().size() - 1; i >= 0; i--) {
            outputOf.put(plan.outputs().get(i), i);
        }
    }

    /** Notes that a step reads its inputs, where the plan has several streams. */
    void read(PlanStep step, StepTime time) {
        step.inputs().forEach(slot -> read(slot, time));
        step.nested().values().forEach(nested -> nested.captures().forEach(capture -> read(capture.outerSlot(), time)));
    }

    private void read(int slot, StepTime time) {
        if (slot != PlanStep.NONE && root(slot).buffer instanceof StreamBuffer buffer) {
            buffer.access(time);
        }
    }

    /**
     * Places the outputs of a step, and returns the buffer of its workspace where it wants one.
     *
     * @param time the place of the step in the order of several streams; null where there is one, or nothing to run
     */
    @Nullable
    Buffer place(PlanStep step, StepBinding context, @Nullable StepTime time) {
        if (time != null) {
            read(step, time);
        }
        for (int i = 0; i < step.outputs().size(); i++) {
            int slot = step.outputs().get(i);
            if (slot == PlanStep.NONE || slots.get(slot).isFolded && !isUploaded(slots.get(slot))) {
                continue;
            }
            Entry entry = slots.get(slot);
            Integer aliased = context.aliases.get(slot);
            if (aliased != null) {
                entry.root = slots.get(aliased).root;
                aliases.add(entry);
                extend(entry);
            } else if (context.outputType(i) != ElementType.STRING) {
                placeBuffer(step, entry, context.reuses.get(slot), time);
            }
        }
        if (context.workspaceBytes == 0) {
            return null;
        }
        Buffer workspace = buffer(context.workspaceBytes, step, time);
        workspaces
                .computeIfAbsent(plan.streams().get(step.stream()).place(), key -> new ArrayList<>())
                .add(workspace);
        return workspace;
    }

    private static Buffer buffer(long bytes, PlanStep step, @Nullable StepTime time) {
        return time == null
                ? new Buffer(bytes, step.index(), step.index())
                : new StreamBuffer(bytes, step.index(), time);
    }

    private void placeBuffer(PlanStep step, Entry entry, @Nullable Integer reused, @Nullable StepTime time) {
        boolean isOutput = outputOf.containsKey(entry.slot);
        if (reused != null
                && isOutput
                && plan.inputs().contains(reused)
                && isLastUse(reused, step)
                && (plan.isPlain() || isReadBy(step, reused))) {
            entry.donor = reused;
        }
        Entry donor = reused == null ? null : root(reused);
        Buffer buffer = donor == null ? null : donor.buffer;
        boolean inPlace = donor != null
                && buffer != null
                && place(entry).equals(place(donor))
                && (!(buffer instanceof StreamBuffer shared) || time != null && shared.isFreeFor(time))
                && buffer.to() == step.index()
                && buffer.from() < step.index()
                && buffer.bytes() >= entry.bytes()
                && !isOutput;
        entry.buffer = inPlace ? buffer : buffer(entry.bytes(), step, time);
        placed.add(entry);
        extend(entry);
    }

    /** Whether nothing reads an input behind a step: by a view of it, or by what a dynamic step may have passed on. */
    private boolean isLastUse(int input, PlanStep step) {
        return plan.slots().get(input).lastUse() == step.index()
                && aliases.stream()
                        .filter(alias -> alias.root == input)
                        .allMatch(alias -> plan.slots().get(alias.slot).lastUse() <= step.index())
                && plan.steps().stream()
                        .noneMatch(each -> each.kernel() instanceof DynamicKernel && reads(each, input));
    }

    /** Whether a step is the only one that reads a slot: others may still read it on their streams. */
    private boolean isReadBy(PlanStep only, int slot) {
        return plan.steps().stream().noneMatch(step -> step != only && reads(step, slot));
    }

    private static boolean reads(PlanStep step, int slot) {
        return step.inputs().contains(slot)
                || step.nested().values().stream()
                        .flatMap(nested -> nested.captures().stream())
                        .anyMatch(capture -> capture.outerSlot() == slot);
    }

    /** Whether a value that was computed while binding has to lie on a device. */
    boolean isUploaded(Entry entry) {
        return !place(entry).isHost() && entry.requireShape().elements() > 0;
    }

    private MemoryPlace place(Entry entry) {
        return plan.slots().get(entry.slot).place();
    }

    private Entry root(int slot) {
        return slots.get(slots.get(slot).root);
    }

    /** Keeps the memory that a slot shares as long as the slot is read. */
    private void extend(Entry entry) {
        Buffer buffer = slots.get(entry.root).buffer;
        if (buffer != null) {
            buffer.extend(plan.slots().get(entry.slot).lastUse());
        }
    }

    Binding finish(int from, int to, List<Binding.Key> keys, List<BoundStep> steps, StreamPrograms programs) {
        var made = new ArrayList<Binding.Made>();
        var folded = new ArrayList<Binding.Folded>();
        for (PlanStep step : plan.steps().subList(from, to)) {
            for (int slot : step.outputs()) {
                if (slot != PlanStep.NONE && slots.get(slot).isTensor()) {
                    Entry entry = slots.get(slot);
                    made.add(new Binding.Made(slot, entry.requireType(), entry.requireShape()));
                }
                if (slot != PlanStep.NONE && slots.get(slot).isFolded) {
                    folded.add(new Binding.Folded(slot, Objects.requireNonNull(slots.get(slot).known)));
                }
            }
        }
        Map<Integer, Integer> results = results();
        var asOutput = new ArrayList<Binding.AsOutput>();
        results.forEach((root, output) -> {
            Entry entry = slots.get(root);
            asOutput.add(new Binding.AsOutput(root, output, entry.bytes(), new SlotPool<>(256), donor(entry)));
        });
        List<Binding.Block> blocks = blocks(results, to);
        var inBlock = new ArrayList<Binding.InBlock>();
        for (Entry entry : placed) {
            if (!results.containsKey(entry.slot)) {
                inBlock.add(new Binding.InBlock(
                        entry.slot,
                        Objects.requireNonNull(entry.buffer),
                        entry.bytes(),
                        Binding.Block.indexOf(place(entry), blocks)));
            }
        }
        return new Binding(
                from,
                to,
                keys,
                steps,
                programs,
                blocks,
                made,
                inBlock,
                asOutput,
                aliases.stream()
                        .map(alias -> new Binding.AsAlias(alias.slot, alias.root))
                        .toList(),
                folded);
    }

    private int donor(Entry entry) {
        if (entry.donor == PlanStep.NONE) {
            return PlanStep.NONE;
        }
        Entry donor = slots.get(entry.donor);
        return entry.type == donor.type && Objects.equals(entry.shape, donor.shape) ? entry.donor : PlanStep.NONE;
    }

    /** Which buffers are made as results in the caller's memory: by root, the first output that is of exactly its size. */
    private Map<Integer, Integer> results() {
        var results = new LinkedHashMap<Integer, Integer>();
        Map<Buffer, Integer> slotsOf = new IdentityHashMap<>();
        placed.forEach(entry -> slotsOf.merge(Objects.requireNonNull(entry.buffer), 1, Integer::sum));
        for (int i = 0; i < plan.outputs().size(); i++) {
            int slot = plan.outputs().get(i);
            Entry root = root(slot);
            boolean first = outputOf.getOrDefault(slot, -1) == i && !results.containsKey(root.slot);
            // a buffer that holds other slots too is not the result's alone
            if (first && root.buffer != null && slotsOf.getOrDefault(root.buffer, 0) == 1) {
                results.put(root.slot, i);
            }
        }
        return results;
    }

    /** Places the buffers of each block; that of the host comes first. */
    private List<Binding.Block> blocks(Map<Integer, Integer> results, int to) {
        var buffers = new LinkedHashMap<MemoryPlace, List<Buffer>>();
        buffers.put(MemoryPlace.HOST, new ArrayList<>());
        Set<Buffer> known = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Entry entry : placed) {
            Buffer buffer = Objects.requireNonNull(entry.buffer);
            if (buffer instanceof StreamBuffer shared && buffer.to() >= to) {
                shared.keep();
            }
            if (!results.containsKey(entry.slot) && known.add(buffer)) {
                buffers.computeIfAbsent(place(entry), key -> new ArrayList<>()).add(buffer);
            }
        }
        workspaces.forEach((place, ofPlace) ->
                buffers.computeIfAbsent(place, key -> new ArrayList<>()).addAll(ofPlace));
        var blocks = new ArrayList<Binding.Block>();
        buffers.forEach((place, ofPlace) -> blocks.add(new Binding.Block(
                place, plan.isPlain() ? MemoryPlanner.place(ofPlace, 0) : MemoryPlanner.placeBySize(ofPlace, 0))));
        return blocks;
    }
}
