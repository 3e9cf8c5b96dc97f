package dev.millrace.session.state;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.RequestCheck;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The outputs that are carried to inputs of a sequence's next element, and the values of these
 * inputs for the first one.
 */
public final class CarriedState {
    private final List<State> states;
    private final Map<String, ValueInfo> inputs = new LinkedHashMap<>();
    private final Map<String, Tensor> first = new LinkedHashMap<>();
    private final List<String> answered;
    private final List<ValueInfo> askedInputs;
    private final List<ValueInfo> answeredOutputs;
    /** The outputs that stay on a device; empty where the session has none. */
    private final List<String> onDevice;

    public CarriedState(Session session, List<State> states) {
        this.states = List.copyOf(states);
        for (State state : states) {
            ValueInfo input = named(session.inputs(), state.input(), "input");
            checkCarries(named(session.outputs(), state.output(), "output"), input);
            if (inputs.put(state.input(), input) != null) {
                throw EngineException.invalidArgument("input '" + state.input() + "' is given two states");
            }
            first.put(state.input(), beginning(state, input));
        }
        askedInputs = session.inputs().stream()
                .filter(input -> !inputs.containsKey(input.name()))
                .toList();
        answeredOutputs = session.outputs().stream()
                .filter(output ->
                        states.stream().noneMatch(state -> state.output().equals(output.name())))
                .toList();
        answered = answeredOutputs.stream().map(ValueInfo::name).toList();
        onDevice = session.devices().isEmpty()
                ? List.of()
                : states.stream().map(State::output).toList();
    }

    private static ValueInfo named(List<ValueInfo> infos, String name, String what) {
        return infos.stream()
                .filter(info -> info.name().equals(name))
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument("Invalid " + what + " name: " + name + "; there are "
                        + infos.stream().map(ValueInfo::name).toList()));
    }

    /**
     * Refuses a pair that cannot carry a state: an output and an input that are not tensors of
     * one element type and rank.
     */
    private static void checkCarries(ValueInfo output, ValueInfo input) {
        boolean fits = isTensor(output)
                && isTensor(input)
                && (elementOf(output) == null || elementOf(input) == null || elementOf(output) == elementOf(input))
                && (rank(output) < 0 || rank(input) < 0 || rank(output) == rank(input));
        if (!fits) {
            throw EngineException.invalidArgument("output " + output + " cannot be carried to input " + input
                    + ": a state is a tensor, and both have its type and rank");
        }
    }

    private static boolean isTensor(ValueInfo info) {
        return info.type() == null || info.type() instanceof ValueType.TensorType;
    }

    private static @Nullable ElementType elementOf(ValueInfo info) {
        return info.type() instanceof ValueType.TensorType type ? type.element() : null;
    }

    /** Returns the declared rank; -1 where the model leaves it open. */
    private static int rank(ValueInfo info) {
        SymbolicShape shape = info.type() instanceof ValueType.TensorType type ? type.shape() : null;
        return shape == null ? -1 : shape.rank();
    }

    private static Tensor beginning(State state, ValueInfo input) {
        if (state.first() != null) {
            RequestCheck.check(input, state.first());
            return state.first();
        }
        if (input.type() instanceof ValueType.TensorType type && type.element() != null) {
            Shape zeros = state.zeros();
            if (zeros == null && type.shape() != null) {
                zeros = Shape.of(type.shape().dims().stream()
                        .mapToLong(dim -> dim instanceof Dim.Known known ? known.extent() : 1)
                        .toArray());
            }
            if (zeros != null) {
                Tensor beginning = Tensor.allocate(type.element(), zeros);
                RequestCheck.check(input, beginning);
                return beginning;
            }
        }
        throw EngineException.invalidArgument(
                "input '" + input + "' declares no shape to begin with: say State.from or State.ofZeros");
    }

    /** The initial state of a sequence, by the names of inputs. */
    Map<String, Tensor> first() {
        return first;
    }

    /** Returns an element's inputs together with the current state. */
    Inputs with(Inputs request, Map<String, Tensor> state) {
        Inputs all = Inputs.of(Failures.requireArgument(request, "inputs").asMap());
        state.forEach((input, tensor) -> {
            if (request.input(input) != null) {
                throw EngineException.invalidArgument("input '" + input
                        + "' is the sequence's state: leave it out, or reset or restore the sequence");
            }
            if (first.get(input) == tensor) {
                all.and(input, tensor);
            } else {
                all.donate(input, tensor);
            }
        });
        return all;
    }

    /** The inputs that each element is asked for. */
    List<ValueInfo> askedInputs() {
        return askedInputs;
    }

    /** The outputs that each element answers. */
    List<ValueInfo> answeredOutputs() {
        return answeredOutputs;
    }

    /** Returns a checked copy of a snapshot, which a sequence can continue from. */
    Map<String, Tensor> checked(Map<String, Tensor> snapshot) {
        if (!snapshot.keySet().equals(inputs.keySet())) {
            throw EngineException.invalidArgument(
                    "a snapshot of " + snapshot.keySet() + " is none of " + inputs.keySet());
        }
        inputs.forEach((input, declared) ->
                RequestCheck.check(declared, Failures.requireArgument(snapshot.get(input), "snapshot")));
        var copy = new LinkedHashMap<String, Tensor>();
        snapshot.forEach((input, tensor) -> copy.put(input, Tensor.copyOf(tensor)));
        return copy;
    }

    /** Returns the options of a run that also returns the state, which stays on the device that computes it. */
    RunOptions with(RunOptions options) {
        for (State state : states) {
            if (options.into().containsKey(state.output())) {
                throw EngineException.invalidArgument("output '" + state.output()
                        + "' is the sequence's state, which is no memory of the caller's; a snapshot has it");
            }
        }
        if (options.outputs().isEmpty() && onDevice.isEmpty()) {
            return options;
        }
        RunOptions.Builder all = options.toBuilder()
                .leaveOnDevice(Stream.concat(options.onDevice().stream(), onDevice.stream())
                        .toList());
        if (options.outputs().isEmpty()) {
            return all.build();
        }
        var names = new ArrayList<>(options.outputs());
        for (State state : states) {
            if (names.contains(state.output())) {
                throw EngineException.invalidArgument(
                        "output '" + state.output() + "' is the sequence's state, which a snapshot has");
            }
            names.add(state.output());
        }
        return all.outputs(names).build();
    }

    /** Returns the state after a run, by the names of inputs. */
    Map<String, Tensor> after(Outputs outputs) {
        var after = new LinkedHashMap<String, Tensor>();
        states.forEach(state -> after.put(state.input(), outputs.get(state.output())));
        return after;
    }

    /** Returns the outputs without those that are state. */
    Outputs answer(Outputs outputs) {
        List<String> names = outputs.names().stream().filter(answered::contains).toList();
        return new Outputs(names, names.stream().map(outputs::datum).toArray(Datum[]::new));
    }

    /** Closes outputs except for those that were computed in the memory of a state that stays. */
    void discard(Outputs outputs, Map<String, Tensor> state) {
        for (Datum output : outputs.asMap().values()) {
            if (state.values().stream().noneMatch(tensor -> tensor == output)) {
                output.close();
            }
        }
    }

    /** Closes the tensors of a state that no sequence uses any more; the initial ones stay open. */
    void close(Map<String, Tensor> state) {
        close(state, Map.of());
    }

    /**
     * Closes the tensors of a state except for the initial ones and for those that the next state has as well, as it
     * was computed in their memory.
     */
    void close(Map<String, Tensor> state, Map<String, Tensor> next) {
        state.forEach((input, tensor) -> {
            if (first.get(input) != tensor && next.get(input) != tensor) {
                tensor.close();
            }
        });
    }
}
