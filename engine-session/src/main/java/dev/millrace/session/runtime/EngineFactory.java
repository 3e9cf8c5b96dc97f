package dev.millrace.session.runtime;

import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.function.Function;

/** Opens engines for {@link Engine#create(EngineOptions)}, which finds this class by its name. */
public final class EngineFactory implements Function<EngineOptions, Engine> {
    @Override
    public Engine apply(EngineOptions options) {
        return OpenEngine.create(options);
    }
}
