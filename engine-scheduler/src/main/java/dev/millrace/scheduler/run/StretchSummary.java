package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import java.util.ArrayList;
import java.util.List;

/**
 * A binding, to look at: which steps it covers, the memory it takes and where its values lie.
 *
 * @param blockBytes the block that a run of it needs
 * @param programs what launches do that are programs of their own, step by step
 * @param unsharedBytes what the same values would need without taking each other's place
 */
public record StretchSummary(
        int firstStep,
        int endStep,
        int launches,
        long blockBytes,
        long unsharedBytes,
        List<Place> places,
        List<String> programs) {

    /** A value in the block, alive from one step to another. */
    public record Place(int slot, Shape shape, long offset, long bytes, int fromStep, int toStep) {}

    static StretchSummary of(Binding binding) {
        var places = new ArrayList<Place>();
        long unshared = 0;
        for (Binding.InBlock value : binding.inBlock) {
            Shape shape = Shape.SCALAR;
            for (Binding.Made made : binding.made) {
                if (made.slot() == value.slot()) {
                    shape = made.shape();
                }
            }
            unshared += value.buffer().bytes();
            places.add(new Place(
                    value.slot(),
                    shape,
                    value.buffer().offset(),
                    value.bytes(),
                    value.buffer().from(),
                    Math.min(value.buffer().to(), binding.to)));
        }
        var programs = new ArrayList<String>();
        for (BoundStep step : binding.steps) {
            String text = step.launch() == null ? "" : step.launch().text();
            if (!text.isEmpty()) {
                programs.add(step.step().describe() + System.lineSeparator() + text);
            }
        }
        return new StretchSummary(
                binding.from,
                binding.to,
                binding.steps.size(),
                binding.blockBytes,
                unshared,
                places,
                List.copyOf(programs));
    }
}
