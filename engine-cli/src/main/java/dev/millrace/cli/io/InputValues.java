package dev.millrace.cli.io;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.ValueInfo;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * Values as people type them: {@code 16000}, {@code 0.5,-1,2}, {@code [[1,2],[3,4]]}, {@code true}, some text. Their type
 * and, as far as it is fixed, their shape is the input's.
 */
final class InputValues {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private final ValueInfo info;
    private final ElementType type;
    private final List<String> words = new ArrayList<>();
    private final List<Long> extents = new ArrayList<>();

    private InputValues(ValueInfo info, ElementType type) {
        this.info = info;
        this.type = type;
    }

    static Tensor read(String text, ValueInfo info) {
        if (!(info.type() instanceof ValueType.TensorType tensor) || tensor.element() == null) {
            throw EngineException.invalidArgument("input " + info + " is no tensor of a known type; give it as a file");
        }
        var values = new InputValues(info, tensor.element());
        values.parse(text.strip());
        return values.tensor(values.shape(tensor.shape()));
    }

    private void parse(String text) {
        if (text.startsWith("[")) {
            parseNested(text);
        } else if (type == ElementType.STRING || !text.contains(",")) {
            words.add(text);
        } else {
            Arrays.stream(text.split(",")).map(String::strip).forEach(words::add);
            extents.add((long) words.size());
        }
    }

    private void parseNested(String text) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
            json.nextToken();
            list(json, 0);
            if (json.nextToken() != null) {
                throw refused("something stands behind its last bracket");
            }
        } catch (StreamReadException e) {
            throw refused("it is no nested list: " + e.getOriginalMessage());
        }
    }

    private void list(JsonParser json, int depth) {
        long count = 0;
        boolean first = extents.size() == depth;
        if (first) {
            extents.add(-1L);
        }
        for (JsonToken token = json.nextToken(); token != JsonToken.END_ARRAY; token = json.nextToken()) {
            if (token == JsonToken.START_ARRAY) {
                if (!words.isEmpty() && extents.size() == depth + 1) {
                    throw refused("lists and values stand side by side");
                }
                list(json, depth + 1);
            } else if (token == null || !token.isScalarValue() || token == JsonToken.VALUE_NULL) {
                throw refused("it has more than lists, numbers and texts");
            } else if (extents.size() > depth + 1) {
                throw refused("lists and values stand side by side");
            } else {
                words.add(json.getString());
            }
            count++;
        }
        if (extents.get(depth) >= 0 && extents.get(depth) != count) {
            throw refused("its lists are of different lengths, " + extents.get(depth) + " and " + count);
        }
        extents.set(depth, count);
    }

    /** The shape of what was typed; one that has another rank becomes what is declared, where only one shape can be meant. */
    private Shape shape(@Nullable SymbolicShape declared) {
        Shape typed = Shape.of(extents.stream().mapToLong(Long::longValue).toArray());
        if (declared == null || declared.rank() == typed.rank() || typed.rank() > 1) {
            return typed;
        }
        long[] meant = new long[declared.rank()];
        long rest = words.size();
        int free = -1;
        for (int axis = meant.length - 1; axis >= 0; axis--) {
            if (declared.dim(axis) instanceof Dim.Known known) {
                meant[axis] = known.extent();
                rest = known.extent() == 0 || rest % known.extent() != 0 ? -1 : rest / known.extent();
            } else if (free < 0) {
                free = axis;
            } else {
                meant[axis] = 1;
            }
            if (rest < 0) {
                return typed;
            }
        }
        if (free >= 0) {
            meant[free] = rest;
        }
        return free < 0 && rest != 1 ? typed : Shape.of(meant);
    }

    private Tensor tensor(Shape shape) {
        Tensor tensor = Tensor.allocate(type, shape);
        for (int i = 0; i < words.size(); i++) {
            set(tensor, i, words.get(i));
        }
        return tensor;
    }

    private void set(Tensor tensor, int at, String word) {
        if (type == ElementType.STRING) {
            tensor.strings()[at] = word;
        } else if (type == ElementType.BOOL) {
            Elements.setLong(type, tensor.segment(), at, truth(word) ? 1 : 0);
        } else if (type.isFloating()) {
            Elements.setDouble(type, tensor.segment(), at, real(word));
        } else if (type.isInteger()) {
            setWhole(tensor, at, word);
        } else {
            throw refused("values of " + type + " can only come from a file");
        }
    }

    private void setWhole(Tensor tensor, int at, String word) {
        BigDecimal whole;
        try {
            whole = new BigDecimal(word);
        } catch (NumberFormatException e) {
            throw refused("'" + word + "' is no whole number");
        }
        if (whole.stripTrailingZeros().scale() > 0) {
            throw refused("'" + word + "' is no whole number");
        }
        Elements.setLong(type, tensor.segment(), at, whole.longValue());
        long kept = Elements.getLong(type, tensor.segment(), at);
        BigDecimal read =
                type == ElementType.UINT64 ? new BigDecimal(Long.toUnsignedString(kept)) : new BigDecimal(kept);
        if (read.compareTo(whole) != 0) {
            throw refused("'" + word + "' is out of the range of " + type);
        }
    }

    private boolean truth(String word) {
        return switch (word) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw refused("'" + word + "' is neither true nor false");
        };
    }

    private double real(String word) {
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw refused("'" + word + "' is no number");
        }
    }

    private EngineException refused(String why) {
        return EngineException.invalidArgument("the value of input '" + info.name() + "' cannot be read: " + why);
    }
}
