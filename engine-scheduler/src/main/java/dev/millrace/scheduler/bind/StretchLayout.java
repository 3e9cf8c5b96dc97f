package dev.millrace.scheduler.bind;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.scheduler.bind.SlotTable.Entry;
import dev.millrace.scheduler.plan.MemoryPlanner;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.scheduler.plan.SlotPool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides where the values of a stretch lie. Values that are the same memory (aliases, results written in place) share
 * one buffer; buffers of one stream take each other's place when their time is over, and those that two streams touch
 * keep theirs until the stretch ends.
 */
final class StretchLayout {
    private final Plan plan;
    private final SlotTable slots;
    /** The slots that are aliases, and those with a buffer, in the order in which they were placed. */
    private final List<Entry> aliases = new ArrayList<>();

    private final List<Entry> placed = new ArrayList<>();
    private final List<Buffer> workspaces = new ArrayList<>();
    private final List<Integer> workspaceStreams = new ArrayList<>();
    private final Map<Integer, Integer> outputOf = new HashMap<>();

    StretchLayout(Plan plan, SlotTable slots) {
        this.plan = plan;
        this.slots = slots;
        for (int i = plan.outputs().size() - 1; i >= 0; i--) {
            outputOf.put(plan.outputs().get(i), i);
        }
    }

    /** Places the outputs of a step, and returns the buffer of its workspace where it wants one. */
    @Nullable
    Buffer place(PlanStep step, StepBinding context) {
        for (int i = 0; i < step.outputs().size(); i++) {
            int slot = step.outputs().get(i);
            if (slot == PlanStep.NONE || slots.get(slot).isFolded) {
                continue;
            }
            Entry entry = slots.get(slot);
            Integer aliased = context.aliases.get(slot);
            if (aliased != null) {
                entry.root = slots.get(aliased).root;
                aliases.add(entry);
                extend(entry);
            } else if (context.outputType(i) != ElementType.STRING) {
                placeBuffer(step, entry, context.reuses.get(slot));
            }
        }
        if (context.workspaceBytes == 0) {
            return null;
        }
        var workspace = new Buffer(context.workspaceBytes, step.index(), step.index());
        workspaces.add(workspace);
        workspaceStreams.add(step.stream());
        return workspace;
    }

    private void placeBuffer(PlanStep step, Entry entry, @Nullable Integer reused) {
        boolean isOutput = outputOf.containsKey(entry.slot);
        if (reused != null
                && isOutput
                && plan.inputs().contains(reused)
                && plan.slots().get(reused).lastUse() == step.index()) {
            entry.donor = reused;
        }
        Buffer buffer = reused == null ? null : root(reused).buffer;
        boolean inPlace = buffer != null
                && plan.streams().size() == 1
                && buffer.to() == step.index()
                && buffer.from() < step.index()
                && buffer.bytes() >= entry.bytes()
                && !isOutput;
        entry.buffer = inPlace ? buffer : new Buffer(entry.bytes(), step.index(), step.index());
        entry.stream = step.stream();
        placed.add(entry);
        extend(entry);
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

    Binding finish(int from, int to, List<Binding.Key> keys, List<BoundStep> steps) {
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
        long blockBytes = placeInBlock(results);
        var inBlock = new ArrayList<Binding.InBlock>();
        for (Entry entry : placed) {
            if (!results.containsKey(entry.slot)) {
                inBlock.add(new Binding.InBlock(entry.slot, Objects.requireNonNull(entry.buffer), entry.bytes()));
            }
        }
        return new Binding(
                from,
                to,
                keys,
                steps,
                plan.streams(),
                blockBytes,
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

    private long placeInBlock(Map<Integer, Integer> results) {
        var byStream = new ArrayList<List<Buffer>>();
        for (int i = 0; i <= plan.streams().size(); i++) {
            byStream.add(new ArrayList<>());
        }
        int shared = plan.streams().size();
        Set<Integer> readElsewhere = readElsewhere();
        Set<Buffer> grouped = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Entry entry : placed) {
            Buffer buffer = Objects.requireNonNull(entry.buffer);
            if (!results.containsKey(entry.slot) && grouped.add(buffer)) {
                byStream.get(readElsewhere.contains(entry.slot) ? shared : entry.stream)
                        .add(buffer);
            }
        }
        for (int i = 0; i < workspaces.size(); i++) {
            byStream.get(workspaceStreams.get(i)).add(workspaces.get(i));
        }
        byStream.get(shared).forEach(buffer -> buffer.extend(Integer.MAX_VALUE));
        long end = 0;
        for (List<Buffer> group : byStream) {
            end = MemoryPlanner.place(group, end);
        }
        return end;
    }

    /** The slots that other streams read than the one that makes them. */
    private Set<Integer> readElsewhere() {
        var read = new HashSet<Integer>();
        for (PlanStep step : plan.streams().size() == 1 ? List.<PlanStep>of() : plan.steps()) {
            for (int input : step.inputs()) {
                if (input != PlanStep.NONE && step.stream() != root(input).stream) {
                    read.add(root(input).slot);
                }
            }
        }
        return read;
    }
}
