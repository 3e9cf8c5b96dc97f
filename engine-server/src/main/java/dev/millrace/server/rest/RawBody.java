package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.model.InferRequest;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.TensorBytes;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A body that is the bytes of a model's only input. The model says the type and the shape, of which one extent may be open. */
final class RawBody {
    private RawBody() {}

    static InferBody read(ByteBuf body, ModelConfig config) {
        if (config.getInputCount() != 1) {
            throw EngineException.invalidArgument(
                    "a raw body is that of one input; model '" + config.getName() + "' has " + config.getInputCount());
        }
        ModelInput input = config.getInput(0);
        String place = "input '" + input.getName() + "'";
        Datatype type = Datatype.of(input.getDataType());
        if (type == null) {
            throw EngineException.invalidArgument(place + " has no known type");
        }
        Tensor tensor = type.element() == ElementType.STRING
                ? text(place, body, config, input)
                : TensorBytes.read(
                        place,
                        type.element(),
                        shape(place, body.readableBytes() / type.element().bytes(1), config, input),
                        body.readableBytes(),
                        to -> body.getBytes(body.readerIndex(), to));
        var request = new InferRequest("", Map.of(input.getName(), tensor), List.of(), null, 0, null, null);
        return new InferBody(request, List.of(), true);
    }

    /** Returns the whole body as one text. */
    private static Tensor text(String place, ByteBuf body, ModelConfig config, ModelInput input) {
        return Tensor.ofStrings(shape(place, 1, config, input), TensorBytes.text(place, body.nioBuffer()));
    }

    private static Shape shape(String place, long elements, ModelConfig config, ModelInput input) {
        var extents = new ArrayList<Long>();
        if (config.getMaxBatchSize() > 0) {
            extents.add(1L);
        }
        extents.addAll(input.getDimsList());
        long known = 1;
        int open = -1;
        for (int i = 0; i < extents.size(); i++) {
            if (extents.get(i) >= 0) {
                known *= extents.get(i);
            } else if (open >= 0) {
                throw EngineException.invalidArgument(
                        place + " has several open extents, " + extents + "; a raw body leaves one to be found");
            } else {
                open = i;
            }
        }
        if (open >= 0) {
            extents.set(open, known == 0 ? 0 : elements / known);
        }
        return TensorBytes.shape(place, extents);
    }
}
