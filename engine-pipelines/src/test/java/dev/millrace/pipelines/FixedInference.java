package dev.millrace.pipelines;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.RunResult;
import dev.millrace.session.ValueInfo;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An inference that answers by a function. Outputs without names are called {@code out0}, {@code out1} and so on. */
public record FixedInference(List<ValueInfo> inputs, List<ValueInfo> outputs, Function<Inputs, Tensor[]> answer)
        implements Inference {
    /** Returns an input that is a tensor. */
    public static Tensor tensor(Inputs inputs, String name) {
        return (Tensor) Objects.requireNonNull(inputs.input(name), name);
    }

    /** A model of images, whose input is called {@code image}. */
    public static FixedInference ofImages(int outputs, Function<Tensor, Tensor[]> answer) {
        return ofImages(ElementType.FLOAT, outputs, answer);
    }

    /** A model of images of that type, whose input is called {@code image}. */
    public static FixedInference ofImages(ElementType type, int outputs, Function<Tensor, Tensor[]> answer) {
        return named(type, List.of("image"), numbered(outputs), inputs -> answer.apply(tensor(inputs, "image")));
    }

    /** A model of texts with the usual inputs. */
    public static FixedInference ofTexts(int outputs, Function<Inputs, Tensor[]> answer) {
        return of(List.of("input_ids", "attention_mask"), outputs, answer);
    }

    /** A model with that many outputs. */
    public static FixedInference of(List<String> inputs, int outputs, Function<Inputs, Tensor[]> answer) {
        return named(inputs, numbered(outputs), answer);
    }

    private static List<String> numbered(int outputs) {
        return IntStream.range(0, outputs).mapToObj(i -> "out" + i).toList();
    }

    /** A model whose inputs and outputs have those names. */
    public static FixedInference named(List<String> inputs, List<String> outputs, Function<Inputs, Tensor[]> answer) {
        return named(ElementType.INT64, inputs, outputs, answer);
    }

    private static FixedInference named(
            ElementType type, List<String> inputs, List<String> outputs, Function<Inputs, Tensor[]> answer) {
        ValueType any = ValueType.tensor(type, SymbolicShape.of(Dim.symbol("n"), Dim.symbol("m")));
        return new FixedInference(
                inputs.stream().map(name -> new ValueInfo(name, any, false)).toList(),
                outputs.stream().map(name -> new ValueInfo(name, null, false)).toList(),
                answer);
    }

    @Override
    public Outputs run(Inputs inputs, RunOptions options) {
        Datum[] values = answer.apply(inputs);
        return new Outputs(outputs.stream().map(ValueInfo::name).toList(), values);
    }

    @Override
    public Mono<Outputs> mono(Inputs inputs, RunOptions options) {
        return Mono.fromSupplier(() -> run(inputs, options));
    }

    @Override
    public Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions options) {
        return results(requests, options).map(RunResult::orThrow);
    }

    @Override
    public Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions options) {
        return Flux.from(requests).map(inputs -> new RunResult(inputs, run(inputs, RunOptions.defaults()), null));
    }

    @Override
    public int concurrency() {
        return 2;
    }
}
