package dev.millrace.server.config;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.protocol.DataType;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelOutput;
import dev.millrace.server.protocol.ModelSequenceBatching;
import dev.millrace.server.protocol.ModelWarmup;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.TensorBytes;
import dev.millrace.session.Inputs;
import dev.millrace.session.State;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** Tensors that a configuration describes: those of warm-up requests, and initial states of sequences. */
public final class ConfiguredTensors {
    private final ModelConfig config;
    private final Path folder;

    /** @param folder the model's folder, with files of data in {@code warmup} and {@code initial_state} */
    public ConfiguredTensors(ModelConfig config, Path folder) {
        this.config = config;
        this.folder = folder;
    }

    /** Returns the inputs of a warm-up request. */
    public Inputs warmUp(ModelWarmup warmUp) {
        Inputs inputs = Inputs.empty();
        warmUp.getInputsMap().forEach((name, input) -> {
            String place = "model_warmup '" + warmUp.getName() + "', input '" + name + "'";
            ElementType type = type(place, input.getDataType());
            Shape shape = shape(place, Math.max(1, warmUp.getBatchSize()), input.getDimsList());
            inputs.and(
                    name,
                    switch (input.getInputDataTypeCase()) {
                        case ZERO_DATA -> Tensor.allocate(type, shape);
                        case RANDOM_DATA -> random(type, shape);
                        case INPUT_DATA_FILE -> file(place, "warmup", input.getInputDataFile(), type, shape);
                        case INPUTDATATYPE_NOT_SET ->
                            throw EngineException.invalidArgument(
                                    place + " needs zero_data, random_data or input_data_file");
                    });
        });
        return inputs;
    }

    /** Returns the names of classes, by the names of the outputs whose scores they name. */
    public Map<String, List<String>> labels() {
        var labels = new HashMap<String, List<String>>();
        for (ModelOutput output : config.getOutputList()) {
            if (!output.getLabelFilename().isEmpty()) {
                String place = "labels of output '" + output.getName() + "'";
                byte[] text = bytes(place, folder, output.getLabelFilename());
                labels.put(
                        output.getName(),
                        new String(text, StandardCharsets.UTF_8).lines().toList());
            }
        }
        return labels;
    }

    /** Returns the states of sequences. */
    public List<State> states() {
        var states = new ArrayList<State>();
        for (ModelSequenceBatching.State state : config.getSequenceBatching().getStateList()) {
            String place = "state '" + state.getInputName() + "'";
            State carried = State.carry(state.getOutputName(), state.getInputName());
            if (state.getInitialStateCount() == 0) {
                states.add(carried.ofZeros(
                        shape(place, 1, closed(state.getDimsList())).toArray()));
                continue;
            }
            var initial = state.getInitialState(0);
            Shape shape = shape(place, 1, closed(initial.getDimsList()));
            states.add(
                    initial.hasDataFile()
                            ? carried.from(file(
                                    place,
                                    "initial_state",
                                    initial.getDataFile(),
                                    type(place, initial.getDataType()),
                                    shape))
                            : carried.ofZeros(shape.toArray()));
        }
        return states;
    }

    /** Returns the extents, of which open ones are 1. */
    private static List<Long> closed(List<Long> dims) {
        return dims.stream().map(dim -> Math.max(1, dim)).toList();
    }

    private Shape shape(String place, long batch, List<Long> dims) {
        if (dims.stream().anyMatch(dim -> dim < 0)) {
            throw EngineException.invalidArgument(place + " has open extents: " + dims);
        }
        Stream<Long> first = config.getMaxBatchSize() > 0 ? Stream.of(batch) : Stream.empty();
        return Shape.of(Stream.concat(first, dims.stream()).toList());
    }

    private static ElementType type(String place, DataType type) {
        Datatype known = Datatype.of(type);
        if (known == null) {
            throw EngineException.invalidArgument(place + " has no data_type");
        }
        return known.element();
    }

    private static Tensor random(ElementType type, Shape shape) {
        Tensor tensor = Tensor.allocate(type, shape);
        if (type == ElementType.STRING) {
            return tensor;
        }
        var random = new Random(1);
        for (long i = 0; i < tensor.elements(); i++) {
            if (type.isFloating()) {
                Elements.setDouble(type, tensor.segment(), i, random.nextDouble());
            } else {
                Elements.setLong(type, tensor.segment(), i, random.nextInt(2));
            }
        }
        return tensor;
    }

    private Tensor file(String place, String inner, String name, ElementType type, Shape shape) {
        return TensorBytes.read(place, type, shape, ByteBuffer.wrap(bytes(place, folder.resolve(inner), name)));
    }

    private static byte[] bytes(String place, Path folder, String name) {
        Path base = folder.normalize();
        Path file = base.resolve(name).normalize();
        if (!file.startsWith(base)) {
            throw EngineException.invalidArgument(place + " name a file outside of " + base + ": '" + name + "'");
        }
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new EngineException(Status.NO_SUCH_FILE, place + ": " + file + " cannot be read: " + e, e);
        }
    }
}
