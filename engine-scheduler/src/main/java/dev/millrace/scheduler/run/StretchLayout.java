package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
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
    private final Map<Integer, Integer> roots = new LinkedHashMap<>();
    private final Map<Integer, Buffer> buffers = new LinkedHashMap<>();
    private final Map<Integer, Integer> homeStream = new HashMap<>();
    private final Map<Integer, Tensor> folded = new LinkedHashMap<>();
    private final List<Buffer> workspaces = new ArrayList<>();
    private final List<Integer> workspaceStreams = new ArrayList<>();
    private final Map<Integer, Integer> outputOf = new HashMap<>();
    /** The inputs of the plan in whose memory outputs of the plan may be computed. */
    private final Map<Integer, Integer> donors = new HashMap<>();

    StretchLayout(Plan plan) {
        this.plan = plan;
        for (int i = plan.outputs().size() - 1; i >= 0; i--) {
            outputOf.put(plan.outputs().get(i), i);
        }
    }

    void fold(int slot, Tensor value) {
        folded.put(slot, value);
    }

    /** Places the outputs of a step, and returns the buffer of its workspace where it wants one. */
    @Nullable
    Buffer place(PlanStep step, StepBinding context) {
        for (int i = 0; i < step.outputs().size(); i++) {
            int slot = step.outputs().get(i);
            if (slot == PlanStep.NONE || folded.containsKey(slot)) {
                continue;
            }
            Integer aliased = context.aliases.get(slot);
            ElementType type = context.outputType(i);
            if (aliased != null) {
                roots.put(slot, root(aliased));
                extend(root(aliased), slot);
            } else if (type != ElementType.STRING) {
                placeBuffer(step, slot, type.bytes(context.outputShape(i).elements()), context.reuses.get(slot));
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

    private void placeBuffer(PlanStep step, int slot, long bytes, @Nullable Integer reused) {
        if (reused != null
                && outputOf.containsKey(slot)
                && plan.inputs().contains(reused)
                && plan.slots().get(reused).lastUse() == step.index()) {
            donors.put(slot, reused);
        }
        Buffer buffer = reused == null ? null : buffers.get(root(reused));
        boolean inPlace = buffer != null
                && plan.streams().size() == 1
                && buffer.to() == step.index()
                && buffer.from() < step.index()
                && buffer.bytes() >= bytes
                && !outputOf.containsKey(slot);
        Buffer place = inPlace && buffer != null ? buffer : new Buffer(bytes, step.index(), step.index());
        buffers.put(slot, place);
        homeStream.put(slot, step.stream());
        extend(slot, slot);
    }

    private int root(int slot) {
        return roots.getOrDefault(slot, slot);
    }

    /** Keeps the memory of {@code root} as long as {@code slot} is read. */
    private void extend(int root, int slot) {
        Buffer buffer = buffers.get(root);
        if (buffer != null) {
            buffer.extend(plan.slots().get(slot).lastUse());
        }
    }

    Binding finish(
            int from,
            int to,
            List<Binding.Key> keys,
            List<BoundStep> steps,
            @Nullable ElementType[] types,
            @Nullable Shape[] shapes,
            @Nullable Tensor[] known) {
        var made = new ArrayList<Binding.Made>();
        for (PlanStep step : plan.steps().subList(from, to)) {
            for (int slot : step.outputs()) {
                if (slot != PlanStep.NONE && types[slot] != null && shapes[slot] != null) {
                    made.add(new Binding.Made(slot, types[slot], shapes[slot]));
                }
            }
        }
        Map<Integer, Integer> results = results(types, shapes);
        var asOutput = new ArrayList<Binding.AsOutput>();
        results.forEach((root, output) -> asOutput.add(new Binding.AsOutput(
                root, output, bytes(root, types, shapes), new SlotPool<>(256), donor(root, types, shapes))));
        long blockBytes = placeInBlock(results);
        var inBlock = new ArrayList<Binding.InBlock>();
        buffers.forEach((slot, buffer) -> {
            if (!results.containsKey(slot)) {
                inBlock.add(new Binding.InBlock(slot, buffer, bytes(slot, types, shapes)));
            }
        });
        var aliases = new ArrayList<Binding.AsAlias>();
        roots.forEach((slot, root) -> aliases.add(new Binding.AsAlias(slot, root)));
        var constants = new ArrayList<Binding.Folded>();
        folded.forEach((slot, value) -> constants.add(new Binding.Folded(slot, value)));
        return new Binding(
                from, to, keys, steps, plan.streams(), blockBytes, made, inBlock, asOutput, aliases, constants);
    }

    private int donor(int slot, @Nullable ElementType[] types, @Nullable Shape[] shapes) {
        Integer donor = donors.get(slot);
        return donor != null && types[slot] == types[donor] && Objects.equals(shapes[slot], shapes[donor]) ? donor : -1;
    }

    private static long bytes(int slot, @Nullable ElementType[] types, @Nullable Shape[] shapes) {
        return Objects.requireNonNull(types[slot])
                .bytes(Objects.requireNonNull(shapes[slot]).elements());
    }

    /** Which buffers are made as results in the caller's memory: by root, the first output that is of exactly its size. */
    private Map<Integer, Integer> results(@Nullable ElementType[] types, @Nullable Shape[] shapes) {
        var results = new LinkedHashMap<Integer, Integer>();
        Map<Buffer, Integer> slotsOf = new IdentityHashMap<>();
        buffers.values().forEach(buffer -> slotsOf.merge(buffer, 1, Integer::sum));
        for (int i = 0; i < plan.outputs().size(); i++) {
            int slot = plan.outputs().get(i);
            int root = root(slot);
            boolean first = outputOf.getOrDefault(slot, -1) == i && !results.containsKey(root);
            // a buffer that holds other slots too is not the result's alone
            if (first && slotsOf.getOrDefault(buffers.get(root), 0) == 1) {
                results.put(root, i);
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
        buffers.forEach((slot, buffer) -> {
            if (!results.containsKey(slot) && grouped.add(buffer)) {
                byStream.get(readElsewhere.contains(slot) ? shared : home(slot)).add(buffer);
            }
        });
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

    private int home(int slot) {
        return homeStream.getOrDefault(slot, 0);
    }

    /** The slots that other streams read than the one that makes them. */
    private Set<Integer> readElsewhere() {
        var slots = new HashSet<Integer>();
        for (PlanStep step : plan.streams().size() == 1 ? List.<PlanStep>of() : plan.steps()) {
            for (int input : step.inputs()) {
                int slot = root(input);
                if (step.stream() != home(slot)) {
                    slots.add(slot);
                }
            }
        }
        return slots;
    }
}
