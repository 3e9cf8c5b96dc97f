package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.move.CellKernel;
import dev.millrace.providers.cpu.move.CellLoops;
import dev.millrace.providers.cpu.move.Cells;
import dev.millrace.providers.cpu.move.Params;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Operators that prepare features: choose, scale, fill in, normalise, encode. */
final class Features {
    /** Rows after which cancellation is looked at. */
    private static final long TOGETHER = 1 << 16;

    private static final float[] ZERO = {0};
    private static final float[] ONE = {1};

    private Features() {}

    /** One value of a list that has one for each feature, or one for all. */
    private static float at(float[] values, int feature) {
        return values[values.length == 1 ? 0 : feature];
    }

    private static float[] listed(Node node, String attribute, float[] otherwise) {
        float[] values = node.attributes().reals(attribute);
        return values == null || values.length == 0 ? otherwise : values;
    }

    private static void check(Node node, float[] values, int features, String attribute) {
        if (values.length != 1 && values.length < features) {
            throw EngineException.invalidArgument(node.describe() + ": '" + attribute + "' has " + values.length
                    + " entries for " + features + " features");
        }
    }

    static CellKernel extractor(Node node) {
        return context -> {
            Shape in = context.inputShape(0);
            long extent = in.dim(in.rank() - 1);
            long rows = in.elements(0, in.rank() - 1);
            long count = context.inputShape(1).elements();
            int size = Cells.size(context.outputType(0));
            return run -> {
                for (long i = 0; i < count; i++) {
                    long index = Elements.getLong(ElementType.INT64, run.input(1), i);
                    if (index < 0 || index >= extent) {
                        throw Params.outside(node, index, extent);
                    }
                    for (long row = 0; row < rows; row += TOGETHER) {
                        run.checkCancelled();
                        CellLoops.copy(
                                size,
                                run.input(0),
                                row * extent + index,
                                extent,
                                run.output(0),
                                row * count + i,
                                count,
                                Math.min(TOGETHER, rows - row));
                    }
                }
            };
        };
    }

    static ShapedKernel binarizer(Node node) {
        float threshold = node.attributes().real("threshold", 0);
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            ElementType to = context.outputType(0);
            return rows.each((run, row, x, scratch) -> {
                for (int i = 0; i < rows.features(); i++) {
                    x[i] = x[i] > threshold ? 1 : 0;
                }
                Elements.write(to, run.output(0), row * rows.features(), x, 0, rows.features());
            });
        };
    }

    static ShapedKernel scaler(Node node) {
        float[] offsets = listed(node, "offset", ZERO);
        float[] scales = listed(node, "scale", ONE);
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            check(node, offsets, rows.features(), "offset");
            check(node, scales, rows.features(), "scale");
            ElementType to = context.outputType(0);
            return rows.each((run, row, x, scratch) -> {
                for (int i = 0; i < rows.features(); i++) {
                    x[i] = (x[i] - at(offsets, i)) * at(scales, i);
                }
                Elements.write(to, run.output(0), row * rows.features(), x, 0, rows.features());
            });
        };
    }

    static ShapedKernel normalizer(Node node) {
        String norm = node.attributes().text("norm", "MAX");
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            ElementType to = context.outputType(0);
            return rows.each((run, row, x, scratch) -> {
                double size = norm(node, norm, x, rows.features());
                for (int i = 0; i < rows.features() && size != 0; i++) {
                    x[i] /= size;
                }
                Elements.write(to, run.output(0), row * rows.features(), x, 0, rows.features());
            });
        };
    }

    private static double norm(Node node, String norm, double[] x, int count) {
        double max = Double.NEGATIVE_INFINITY;
        double absolute = 0;
        double squares = 0;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, x[i]);
            absolute += Math.abs(x[i]);
            squares += x[i] * x[i];
        }
        return switch (norm) {
            case "MAX" -> max;
            case "L1" -> absolute;
            case "L2" -> Math.sqrt(squares);
            default -> throw EngineException.invalidGraph(node.describe() + ": norm '" + norm + "'");
        };
    }

    static ShapedKernel imputer(Node node) {
        long[] whole = node.attributes().integers("imputed_value_int64s");
        long replacedWhole = node.attributes().integer("replaced_value_int64", 0);
        float[] values = listed(node, "imputed_value_floats", ZERO);
        float replaced = node.attributes().real("replaced_value_float", 0);
        return context -> {
            ElementType type = context.inputType(0);
            Shape shape = context.inputShape(0);
            long features = shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1);
            if (type.isFloating()) {
                check(node, values, Math.toIntExact(features), "imputed_value_floats");
                return run -> {
                    for (long i = 0; i < shape.elements(); i++) {
                        run.checkCancelled(i);
                        double x = Elements.getDouble(type, run.input(0), i);
                        boolean missing = x == replaced || (Double.isNaN(x) && Float.isNaN(replaced));
                        Elements.setDouble(type, run.output(0), i, missing ? at(values, (int) (i % features)) : x);
                    }
                };
            }
            if (whole == null || (whole.length != 1 && whole.length < features)) {
                throw EngineException.invalidArgument(
                        node.describe() + ": 'imputed_value_int64s' does not fit " + features + " features");
            }
            return run -> {
                for (long i = 0; i < shape.elements(); i++) {
                    run.checkCancelled(i);
                    long x = Elements.getLong(type, run.input(0), i);
                    long value = whole[whole.length == 1 ? 0 : (int) (i % features)];
                    Elements.setLong(type, run.output(0), i, x == replacedWhole ? value : x);
                }
            };
        };
    }

    /** Each element becomes a row that is one where its category stands. */
    static ShapedKernel oneHot(Node node) {
        Map<Object, Integer> places = new HashMap<>();
        List<String> texts = node.attributes().texts("cats_strings");
        long[] numbers = node.attributes().integers("cats_int64s");
        if (texts != null) {
            texts.forEach(text -> places.put(text, places.size()));
        } else if (numbers != null) {
            for (long number : numbers) {
                places.put(number, places.size());
            }
        }
        boolean zeros = node.attributes().flag("zeros", true);
        return context -> {
            ElementType type = context.inputType(0);
            long count = context.inputShape(0).elements();
            long width = context.outputShape(0).dimAt(-1);
            return run -> {
                CellLoops.zeros(run, run.output(0));
                for (long i = 0; i < count; i++) {
                    run.checkCancelled(i);
                    Object key = type == ElementType.STRING
                            ? run.inputStrings(0)[(int) i]
                            : (Object) Elements.getLong(type, run.input(0), i);
                    Integer place = places.get(key);
                    if (place != null) {
                        Elements.setDouble(ElementType.FLOAT, run.output(0), i * width + place, 1);
                    } else if (!zeros) {
                        throw EngineException.invalidArgument(node.describe() + ": '" + key + "' is no category");
                    }
                }
            };
        };
    }

    /** The inputs side by side, each cut or filled up to its declared width. */
    static ShapedKernel vectorizer(Node node) {
        long[] declared = node.attributes().integers("inputdimensions");
        return context -> {
            ElementType to = context.outputType(0);
            long width = context.outputShape(0).dimAt(-1);
            int inputs = context.inputCount();
            ElementType[] types = new ElementType[inputs];
            long[] has = new long[inputs];
            long[] takes = new long[inputs];
            long rows = 0;
            for (int i = 0; i < inputs; i++) {
                SampleMatrix matrix = SampleMatrix.of(context, i);
                types[i] = matrix.type();
                has[i] = matrix.features();
                takes[i] = declared == null ? has[i] : declared[i];
                if (i > 0 && rows != matrix.count()) {
                    throw EngineException.invalidArgument(node.describe() + ": input " + i + " has " + matrix.count()
                            + " rows, and those before have " + rows);
                }
                rows = matrix.count();
            }
            long all = rows;
            return (Launch) run -> {
                CellLoops.zeros(run, run.output(0));
                long column = 0;
                for (int i = 0; i < inputs; i++) {
                    for (long row = 0; row < all; row++) {
                        run.checkCancelled();
                        for (long k = 0; k < Math.min(has[i], takes[i]); k++) {
                            double x = Elements.getDouble(types[i], run.input(i), row * has[i] + k);
                            Elements.setDouble(to, run.output(0), row * width + column + k, x);
                        }
                    }
                    column += takes[i];
                }
            };
        };
    }
}
