package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.bind.StreamPrograms;
import dev.millrace.scheduler.bind.StreamPrograms.Instruction;
import dev.millrace.scheduler.plan.CopyKernel;
import java.util.ArrayList;
import java.util.List;

/**
 * A binding, to look at: which steps it covers, the memory it takes and where its values lie.
 *
 * @param blockBytes the block of the host that a run of it needs
 * @param programs what launches do that are programs of their own, step by step
 * @param unsharedBytes what the values in that block would need without taking each other's place
 * @param onDevices the blocks of devices that a run of it needs
 * @param streams what each stream does in order; empty where one stream of the host does all
 */
public record StretchSummary(
        int firstStep,
        int endStep,
        int launches,
        long blockBytes,
        long unsharedBytes,
        List<Place> places,
        List<String> programs,
        List<DeviceBlock> onDevices,
        List<Stream> streams) {

    /** A block of memory at a place that is not the host's. */
    public record DeviceBlock(String place, long bytes) {}

    /** A stream, and its instructions as text. */
    public record Stream(String device, List<String> instructions) {}

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
            if (value.block() > 0) {
                continue;
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
                List.copyOf(programs),
                binding.blocks.stream()
                        .skip(1)
                        .map(block -> new DeviceBlock(block.place().toString(), block.bytes()))
                        .toList(),
                streams(binding.programs));
    }

    private static List<Stream> streams(StreamPrograms programs) {
        var streams = new ArrayList<Stream>();
        for (int i = 0; i < programs.devices().size() && programs.devices().size() > 1; i++) {
            streams.add(new Stream(
                    programs.devices().get(i).info().name(),
                    programs.programs().get(i).stream()
                            .map(StretchSummary::describe)
                            .toList()));
        }
        return streams;
    }

    private static String describe(Instruction instruction) {
        return switch (instruction) {
            case Instruction.Launch launch ->
                launch.step().step().kernel() instanceof CopyKernel copy
                        ? "copy to " + copy.to()
                        : launch.step().step().node().describe();
            case Instruction.Barrier barrier -> "barrier " + barrier.barrier();
            case Instruction.Wait wait -> "wait for " + wait.notification() + (wait.onHost() ? " on the host" : "");
            case Instruction.Activate activate -> "notify " + activate.notification();
            case Instruction.Trigger trigger -> "open barrier " + trigger.barrier();
        };
    }
}
