package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which outputs are inputs of the next element, and what those of the first are. */
final class CarriedState {
    private final List<State> states;
    private final Map<String, Tensor> first = new LinkedHashMap<>();
    private final List<String> answered;

    CarriedState(Session session, List<State> states) {
        this.states = List.copyOf(states);
        for (State state : states) {
            ValueInfo input = named(session.inputs(), state.input(), "input");
            named(session.outputs(), state.output(), "output");
            if (first.put(state.input(), beginning(state, input)) != null) {
                throw EngineException.invalidArgument("input '" + state.input() + "' is given two states");
            }
        }
        var rest = new ArrayList<String>();
        for (ValueInfo output : session.outputs()) {
            if (states.stream().noneMatch(state -> state.output().equals(output.name()))) {
                rest.add(output.name());
            }
        }
        answered = List.copyOf(rest);
    }

    private static ValueInfo named(List<ValueInfo> infos, String name, String what) {
        return infos.stream()
                .filter(info -> info.name().equals(name))
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument("Invalid " + what + " name: " + name + "; there are "
                        + infos.stream().map(ValueInfo::name).toList()));
    }

    private static Tensor beginning(State state, ValueInfo input) {
        if (state.first() != null) {
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
                return Tensor.allocate(type.element(), zeros);
            }
        }
        throw EngineException.invalidArgument(
                "input '" + input + "' declares no shape to begin with: say State.from or State.ofZeros");
    }

    /** What a sequence begins with, by the names of inputs. */
    Map<String, Tensor> first() {
        return first;
    }

    /** An element's inputs with the state so far. */
    Inputs with(Inputs given, Map<String, Tensor> state) {
        Inputs all = Inputs.of(Failures.given(given, "inputs").asMap());
        state.forEach((input, tensor) -> {
            if (given.input(input) != null) {
                throw EngineException.invalidArgument("input '" + input
                        + "' is the sequence's state: leave it out, or reset or restore the sequence");
            }
            all.and(input, tensor);
        });
        return all;
    }

    /** Options of a run whose answer has the state too. */
    RunOptions with(RunOptions how) {
        if (Failures.given(how, "options").outputs().isEmpty()) {
            return how;
        }
        var names = new ArrayList<>(how.outputs());
        for (State state : states) {
            if (names.contains(state.output())) {
                throw EngineException.invalidArgument(
                        "output '" + state.output() + "' is the sequence's state, which a snapshot has");
            }
            names.add(state.output());
        }
        return how.returning(names);
    }

    /** The state after a run, by the names of inputs. */
    Map<String, Tensor> after(Outputs outputs) {
        var after = new LinkedHashMap<String, Tensor>();
        states.forEach(state -> after.put(state.input(), outputs.get(state.output())));
        return after;
    }

    /** What is left for who asked. */
    Outputs answer(Outputs outputs) {
        List<String> names = outputs.names().stream().filter(answered::contains).toList();
        return new Outputs(names, names.stream().map(outputs::datum).toArray(Datum[]::new));
    }

    /** Closes a state that is no longer any sequence's. */
    void close(Map<String, Tensor> state) {
        state.forEach((input, tensor) -> {
            if (first.get(input) != tensor) {
                tensor.close();
            }
        });
    }
}
