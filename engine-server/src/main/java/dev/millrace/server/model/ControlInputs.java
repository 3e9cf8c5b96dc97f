package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.model.InferRequest.SequencePlace;
import dev.millrace.server.protocol.ModelSequenceBatching.Control;
import dev.millrace.server.protocol.ModelSequenceBatching.ControlInput;
import dev.millrace.server.tensor.Datatype;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The inputs that tell a model where a request stands in its sequence. */
final class ControlInputs {
    private final List<ControlInput> inputs;
    private final Shape shape;

    ControlInputs(List<ControlInput> inputs, boolean batched) {
        this.inputs = inputs;
        shape = batched ? Shape.of(1, 1) : Shape.of(1);
    }

    Map<String, Tensor> of(SequencePlace place) {
        var tensors = new HashMap<String, Tensor>();
        for (ControlInput input : inputs) {
            for (Control control : input.getControlList()) {
                tensors.put(input.getName(), tensor(input.getName(), control, place));
            }
        }
        return tensors;
    }

    private Tensor tensor(String name, Control control, SequencePlace place) {
        return switch (control.getKind()) {
            case CONTROL_SEQUENCE_START -> flag(name, control, place.start());
            case CONTROL_SEQUENCE_END -> flag(name, control, place.end());
            case CONTROL_SEQUENCE_READY -> flag(name, control, true);
            case CONTROL_SEQUENCE_CORRID -> id(name, control, place.id());
            case UNRECOGNIZED ->
                throw EngineException.invalidArgument("control input '" + name + "' has no known kind");
        };
    }

    private Tensor flag(String name, Control control, boolean value) {
        int index = value ? 1 : 0;
        if (control.getInt32FalseTrueCount() == 2) {
            return number(ElementType.INT32, control.getInt32FalseTrue(index));
        }
        if (control.getFp32FalseTrueCount() == 2) {
            Tensor tensor = Tensor.allocate(ElementType.FLOAT, shape);
            Elements.setDouble(ElementType.FLOAT, tensor.segment(), 0, control.getFp32FalseTrue(index));
            return tensor;
        }
        if (control.getBoolFalseTrueCount() == 2) {
            return number(ElementType.BOOL, control.getBoolFalseTrue(index) ? 1 : 0);
        }
        throw EngineException.invalidArgument("control input '" + name
                + "' needs two values of int32_false_true, fp32_false_true or bool_false_true");
    }

    private Tensor id(String name, Control control, Object id) {
        Datatype type = Datatype.of(control.getDataType());
        if (type == Datatype.BYTES) {
            return Tensor.ofStrings(shape, id instanceof Long number ? Long.toUnsignedString(number) : (String) id);
        }
        if (type == null || !type.element().isInteger()) {
            throw EngineException.invalidArgument("control input '" + name + "' has no integer or string data_type");
        }
        if (!(id instanceof Long number)) {
            throw EngineException.invalidArgument(
                    "sequence_id '" + id + "' is a text; input '" + name + "' takes it as a number");
        }
        return number(type.element(), number);
    }

    private Tensor number(ElementType type, long value) {
        Tensor tensor = Tensor.allocate(type, shape);
        Elements.setLong(type, tensor.segment(), 0, value);
        return tensor;
    }
}
