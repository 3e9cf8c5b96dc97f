package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.model.InferRequest;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.RequestParameters;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.FlatValues;
import dev.millrace.server.tensor.JsonTree;
import dev.millrace.server.tensor.TensorJson;
import dev.millrace.session.Outputs;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.core.JsonGenerator;

/**
 * Requests to generate with a model of tensors. A property with the name of an input is that input: a value or a list of values, which are one
 * row of a batch. An output of one element is a value in the answer, and a larger one a flat list.
 */
final class MappedGeneration {
    private MappedGeneration() {}

    /** Returns the JSON of an answer. The caller's share in the version ends with the request. */
    static Mono<String> answer(
            LoadedVersion version, Map<String, @Nullable Object> body, Map<String, @Nullable Object> parameters) {
        InferRequest request = request(version.model().config(), body, new RequestParameters(parameters));
        return version.infer(request).map(outputs -> json(version, outputs)).doFinally(_ -> request.close());
    }

    private static InferRequest request(
            ModelConfig config, Map<String, @Nullable Object> body, RequestParameters parameters) {
        var inputs = new LinkedHashMap<String, Tensor>();
        for (ModelInput input : config.getInputList()) {
            Object value = body.get(input.getName());
            if (value != null) {
                inputs.put(input.getName(), tensor(input, value, config.getMaxBatchSize() > 0));
            }
        }
        return new InferRequest(
                "", inputs, List.of(), parameters.sequence(), parameters.priority(), parameters.timeout(), null);
    }

    private static Tensor tensor(ModelInput input, Object value, boolean isBatched) {
        String place = "input '" + input.getName() + "'";
        Datatype type = Datatype.of(input.getDataType());
        if (type == null) {
            throw EngineException.invalidArgument(place + " has no known type");
        }
        var values = new FlatValues();
        List<?> all = value instanceof List<?> list ? list : List.of(value);
        all.forEach(each -> add(place, each, values));
        Shape shape = isBatched ? Shape.of(1, values.size()) : Shape.of(values.size());
        return values.toTensor(place, type.element(), shape);
    }

    private static void add(String place, @Nullable Object value, FlatValues to) {
        switch (value) {
            case String text -> to.add(text);
            case Long number -> to.add(number.longValue());
            case Double number -> to.add(number.doubleValue());
            case Boolean truth -> to.add(truth.booleanValue());
            case BigInteger number
            when number.signum() > 0 && number.bitLength() <= Long.SIZE -> to.addUnsigned(number.longValue());
            case null, default ->
                throw EngineException.invalidArgument(
                        place + " is a number, a text, true or false, or a list of such values");
        }
    }

    private static String json(LoadedVersion version, Outputs outputs) {
        var text = new ByteArrayOutputStream();
        try (outputs;
                JsonGenerator to = JsonTree.generator(text)) {
            to.writeStartObject();
            to.writeStringProperty("model_name", version.name());
            to.writeStringProperty("model_version", version.version());
            for (String name : outputs.names()) {
                to.writeName(name);
                TensorJson.writeValue(to, outputs.get(name));
            }
            to.writeEndObject();
        }
        return text.toString(StandardCharsets.UTF_8);
    }
}
