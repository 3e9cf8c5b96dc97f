package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.CompileReport;
import dev.millrace.session.ModelCompiler;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import dev.millrace.session.util.Failures;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** A compiler that uses the providers and the threads of an engine. */
final class OpenModelCompiler implements ModelCompiler {
    private final EngineResources engine;
    private final CompileOptions options;

    OpenModelCompiler(EngineResources engine, CompileOptions options) {
        this.engine = engine;
        this.options = options;
    }

    @Override
    public CompileReport compile(ModelInput input, ModelOutput output) {
        return compile(input, output, options.session().cancellation()::isCancelled);
    }

    @Override
    public Mono<CompileReport> mono(ModelInput input, ModelOutput output) {
        return Mono.create(sink -> {
            var own = new Cancellation();
            sink.onCancel(own::cancel);
            try {
                engine.runs().execute(() -> answer(sink, input, output, own));
            } catch (RejectedExecutionException e) {
                sink.error(EngineResources.closedException());
            }
        });
    }

    private void answer(MonoSink<CompileReport> sink, ModelInput input, ModelOutput output, Cancellation own) {
        Cancellation cancellation = options.session().cancellation();
        try {
            sink.success(compile(input, output, () -> own.isCancelled() || cancellation.isCancelled()));
        } catch (EngineException e) {
            if (!own.isCancelled()) {
                sink.error(e);
            }
        }
    }

    private CompileReport compile(ModelInput input, ModelOutput output, BooleanSupplier cancelled) {
        Failures.requireArgument(input, "input");
        Failures.requireArgument(output, "output");
        engine.checkOpen();
        try {
            return new OneCompilation(engine, options, input, output, cancelled).run();
        } catch (RuntimeException | Error e) {
            throw Failures.named("compiling", e);
        }
    }
}
