package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.model.InferRequest;
import dev.millrace.server.model.RequestParameters;
import dev.millrace.server.model.SharedMemory;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.FlatValues;
import dev.millrace.server.tensor.JsonTree;
import dev.millrace.server.tensor.TensorBytes;
import dev.millrace.server.tensor.TensorJson;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The body of a request for an inference: a JSON document, and after it the bytes of the inputs that say so.
 *
 * @param request its inputs and parameters
 * @param outputs the wanted outputs; empty for all
 * @param allBinary whether outputs are binary unless they say otherwise
 */
record InferBody(InferRequest request, List<WantedOutput> outputs, boolean allBinary) {
    /**
     * A wanted output.
     *
     * @param binary whether it is sent as bytes; null where the request does not say
     * @param classes the number of classes of a classification; 0 for the tensor itself
     */
    record WantedOutput(String name, @Nullable Boolean binary, int classes) {}

    /** An input as the document describes it. */
    private record DescribedInput(
            String name,
            Datatype type,
            Shape shape,
            @Nullable FlatValues values,
            long binarySize) {}

    /**
     * Reads a body.
     *
     * @param jsonLength the length of the JSON document; -1 for the whole body
     */
    static InferBody read(ByteBuf body, long jsonLength) {
        if (jsonLength > body.readableBytes()) {
            throw EngineException.invalidArgument("Inference-Header-Content-Length is " + jsonLength + "; the body has "
                    + body.readableBytes() + " bytes");
        }
        int length = jsonLength < 0 ? body.readableBytes() : (int) jsonLength;
        try (JsonParser parser = JsonTree.parser(new ByteBufInputStream(body.slice(body.readerIndex(), length)))) {
            return new Reading(parser, jsonLength >= 0).read(body, body.readerIndex() + length);
        } catch (JacksonException e) {
            throw JsonTree.refused(e);
        }
    }

    /** The reading of one document. */
    private static final class Reading {
        private final JsonParser parser;
        private final boolean hasLength;
        private String id = "";
        private Map<String, @Nullable Object> parameters = Map.of();
        private final List<DescribedInput> inputs = new ArrayList<>();
        private final List<WantedOutput> outputs = new ArrayList<>();

        /** @param hasLength whether a header tells the length of the document */
        Reading(JsonParser parser, boolean hasLength) {
            this.parser = parser;
            this.hasLength = hasLength;
        }

        InferBody read(ByteBuf body, int blobs) {
            requireObject(parser.nextToken(), "the body");
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (name) {
                    case "id" -> id = text(value, "id");
                    case "parameters" -> parameters = JsonTree.object(parser);
                    case "inputs" -> each("inputs", this::readInput);
                    case "outputs" -> each("outputs", this::readOutput);
                    default -> parser.skipChildren();
                }
            }
            requireEnd();
            var known = new RequestParameters(parameters);
            var names = outputs.stream().map(WantedOutput::name).toList();
            var tensors = tensors(body, blobs);
            try {
                var request =
                        new InferRequest(id, tensors, names, known.sequence(), known.priority(), known.timeout(), null);
                return new InferBody(request, List.copyOf(outputs), known.flag("binary_data_output"));
            } catch (EngineException e) {
                tensors.values().forEach(Tensor::close);
                throw e;
            }
        }

        /** Refuses what follows the document where only a header can tell where the document ends. */
        private void requireEnd() {
            for (DescribedInput each : inputs) {
                if (each.values == null && !hasLength) {
                    throw EngineException.invalidArgument("input '" + each.name
                            + "' has binary_data_size, and the request no header " + InferAnswer.HEADER_LENGTH);
                }
            }
            if (parser.nextToken() != null) {
                throw EngineException.invalidArgument("the body has more than one JSON document");
            }
        }

        private Map<String, Tensor> tensors(ByteBuf body, int blobs) {
            var tensors = new LinkedHashMap<String, Tensor>();
            int offset = blobs;
            int end = body.readerIndex() + body.readableBytes();
            for (DescribedInput each : inputs) {
                String place = "input '" + each.name + "'";
                Tensor tensor;
                if (each.values != null) {
                    tensor = each.values.toTensor(place, each.type.element(), each.shape);
                } else {
                    if (each.binarySize > end - offset) {
                        throw EngineException.invalidArgument(place + " has binary_data_size " + each.binarySize
                                + "; the body has " + (end - offset) + " more bytes");
                    }
                    int start = offset;
                    tensor = TensorBytes.read(
                            place, each.type.element(), each.shape, each.binarySize, to -> body.getBytes(start, to));
                    offset += (int) each.binarySize;
                }
                if (tensors.put(each.name, tensor) != null) {
                    throw EngineException.invalidArgument(place + " is there twice");
                }
            }
            if (offset < end) {
                throw EngineException.invalidArgument(
                        "the body has " + (end - offset) + " bytes that belong to no input");
            }
            return tensors;
        }

        private void readInput() {
            String name = null;
            String type = null;
            List<Long> shape = null;
            FlatValues values = null;
            Map<String, @Nullable Object> own = Map.of();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String property = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (property) {
                    case "name" -> name = text(value, "the name of an input");
                    case "datatype" -> type = text(value, "a datatype");
                    case "shape" -> shape = shape(value);
                    case "parameters" -> own = JsonTree.object(parser);
                    case "data" -> values = TensorJson.read(parser);
                    default -> parser.skipChildren();
                }
            }
            if (name == null || type == null || shape == null) {
                throw EngineException.invalidArgument("an input has no name, no datatype or no shape");
            }
            String place = "input '" + name + "'";
            SharedMemory.refuse(own, place);
            var parametersOf = new RequestParameters(own);
            boolean binary = parametersOf.has("binary_data_size");
            if (binary == (values != null)) {
                throw EngineException.invalidArgument(place + " has either data or the parameter binary_data_size");
            }
            inputs.add(new DescribedInput(
                    name,
                    Datatype.named(type),
                    TensorBytes.shape(place, shape),
                    values,
                    parametersOf.count("binary_data_size")));
        }

        private void readOutput() {
            String name = null;
            Map<String, @Nullable Object> own = Map.of();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String property = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_NULL) {
                    continue;
                }
                switch (property) {
                    case "name" -> name = text(value, "the name of an output");
                    case "parameters" -> own = JsonTree.object(parser);
                    default -> parser.skipChildren();
                }
            }
            if (name == null) {
                throw EngineException.invalidArgument("an output has no name");
            }
            SharedMemory.refuse(own, "output '" + name + "'");
            var known = new RequestParameters(own);
            outputs.add(new WantedOutput(name, known.has("binary_data") ? known.flag("binary_data") : null, (int)
                    Math.min(known.count("classification"), Integer.MAX_VALUE)));
        }

        private List<Long> shape(JsonToken token) {
            if (token != JsonToken.START_ARRAY) {
                throw EngineException.invalidArgument("a shape is a list of numbers");
            }
            var extents = new ArrayList<Long>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
                    throw EngineException.invalidArgument("a shape is a list of whole numbers");
                }
                extents.add(parser.getLongValue());
            }
            return extents;
        }

        private void each(String name, Runnable reader) {
            if (parser.currentToken() != JsonToken.START_ARRAY) {
                throw EngineException.invalidArgument("'" + name + "' is no list");
            }
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                requireObject(parser.currentToken(), "an element of '" + name + "'");
                reader.run();
            }
        }

        private String text(JsonToken token, String what) {
            if (token != JsonToken.VALUE_STRING) {
                throw EngineException.invalidArgument(what + " is no text");
            }
            return parser.getString();
        }

        private static void requireObject(@Nullable JsonToken token, String what) {
            if (token != JsonToken.START_OBJECT) {
                throw EngineException.invalidArgument(what + " is no JSON object");
            }
        }
    }
}
