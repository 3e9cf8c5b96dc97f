package dev.millrace.flink;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;

/** Numbers with the vectors of two words, of which the number gives the first. */
final class NumberedWords {
    static final TypeInformation<Tuple2<Long, float[]>> TYPE =
            Types.TUPLE(Types.LONG, Types.PRIMITIVE_ARRAY(Types.FLOAT));

    private static final float[][] TABLE = {{1, 0}, {0, 4}, {3, 0}};
    private static final int IN_FLIGHT = 256;

    private NumberedWords() {}

    static long[] ids(long number) {
        return new long[] {number % TABLE.length, 1};
    }

    static float[] expected(int number) {
        float[] first = TABLE[number % TABLE.length];
        return new float[] {first[0], first[1], TABLE[1][0], TABLE[1][1]};
    }

    /** Returns the function that runs the model in the task. */
    static AsyncFunction<Long, Tuple2<Long, float[]>> inside(Path folder) {
        return MillraceAsyncFunction.of(
                ModelSettings.of(FlinkModels.words(folder).toString()),
                number -> Inputs.of("input_ids", Tensor.copyOf(ids(number), 1, 2))
                        .and("attention_mask", Tensor.copyOf(new long[] {1, 1}, 1, 2)),
                (number, outputs) -> Tuple2.of(number, outputs.get("hidden").floats()));
    }

    /** Returns the stream of answers, in any order. */
    static DataStream<Tuple2<Long, float[]>> answered(
            DataStream<Long> numbers, AsyncFunction<Long, Tuple2<Long, float[]>> words) {
        return AsyncDataStream.unorderedWait(numbers, words, 1, TimeUnit.MINUTES, IN_FLIGHT)
                .returns(TYPE);
    }
}
