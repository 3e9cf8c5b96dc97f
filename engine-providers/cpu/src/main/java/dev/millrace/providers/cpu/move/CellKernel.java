package dev.millrace.providers.cpu.move;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * A kernel that moves cells. What is wrapped here sees every input and output as {@linkplain Cells cells}: where some
 * of them are packed or strings, they are converted around its launch.
 */
@FunctionalInterface
public interface CellKernel {
    /** Like {@link ShapedKernel#bind}. */
    Launch bind(BindContext context);

    static ShapedKernel of(CellKernel kernel) {
        return context -> {
            Launch launch = kernel.bind(context);
            return launch == Launch.none() ? launch : Converted.around(launch, context);
        };
    }

    /** A launch with the types and element counts of those inputs and outputs that are converted. */
    record Converted(Launch launch, Slot[] inputs, Slot[] outputs) implements Launch {
        record Slot(int index, ElementType type, long elements) {}

        static Launch around(Launch launch, BindContext context) {
            var inputs = new ArrayList<Slot>();
            var outputs = new ArrayList<Slot>();
            for (int i = 0; i < context.inputCount(); i++) {
                if (context.hasInput(i) && Cells.areConverted(context.inputType(i))) {
                    inputs.add(new Slot(
                            i, context.inputType(i), context.inputShape(i).elements()));
                }
            }
            for (int i = 0; i < context.outputCount(); i++) {
                if (context.hasOutput(i) && Cells.areConverted(context.outputType(i))) {
                    long elements = context.outputShape(i).elements();
                    if (context.outputType(i) == ElementType.STRING) {
                        ArrayExtents.table("strings", elements, Long.BYTES);
                    }
                    outputs.add(new Slot(i, context.outputType(i), elements));
                }
            }
            return inputs.isEmpty() && outputs.isEmpty()
                    ? launch
                    : new Converted(launch, inputs.toArray(new Slot[0]), outputs.toArray(new Slot[0]));
        }

        @Override
        public void run(LaunchContext context) {
            var view = new View(context, inputs, outputs);
            launch.run(view);
            view.store(outputs);
        }
    }

    /** A launch seen through cells. */
    final class View implements LaunchContext {
        private final LaunchContext context;
        private final Cells cells = new Cells();
        private final Map<Integer, MemorySegment> inputs = new HashMap<>();
        private final Map<Integer, MemorySegment> outputs = new HashMap<>();

        View(LaunchContext context, Converted.Slot[] converted, Converted.Slot[] stored) {
            this.context = context;
            for (Converted.Slot slot : converted) {
                inputs.put(
                        slot.index(),
                        slot.type() == ElementType.STRING
                                ? cells.ofStrings(context.inputStrings(slot.index()))
                                : Cells.unpack(slot.type(), context.input(slot.index()), slot.elements()));
            }
            for (Converted.Slot slot : stored) {
                outputs.put(slot.index(), Cells.allocate(slot.type(), slot.elements()));
            }
        }

        void store(Converted.Slot[] stored) {
            for (Converted.Slot slot : stored) {
                MemorySegment from = output(slot.index());
                if (slot.type() == ElementType.STRING) {
                    cells.storeStrings(from, context.outputStrings(slot.index()));
                } else {
                    Cells.pack(slot.type(), from, context.output(slot.index()), slot.elements());
                }
            }
        }

        @Override
        public MemorySegment input(int index) {
            MemorySegment converted = inputs.get(index);
            return converted == null ? context.input(index) : converted;
        }

        @Override
        public MemorySegment output(int index) {
            MemorySegment converted = outputs.get(index);
            return converted == null ? context.output(index) : converted;
        }

        @Override
        public String[] inputStrings(int index) {
            return context.inputStrings(index);
        }

        @Override
        public String[] outputStrings(int index) {
            return context.outputStrings(index);
        }

        @Override
        public MemorySegment workspace() {
            return context.workspace();
        }

        @Override
        public void parallelFor(long items, long grain, RangeTask task) {
            context.parallelFor(items, grain, (inner, from, to, scratch) -> task.run(this, from, to, scratch));
        }

        @Override
        public Scratch scratch() {
            return context.scratch();
        }

        @Override
        public void checkCancelled() {
            context.checkCancelled();
        }
    }
}
