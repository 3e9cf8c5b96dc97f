package dev.millrace.spring.boot;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.RequestListener;
import java.io.File;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.unit.DataSize;

/** Configures an engine, which is created when something needs it, and the sessions of the properties {@code millrace.sessions}. */
@AutoConfiguration
@EnableConfigurationProperties(MillraceProperties.class)
@Import(SessionBeans.class)
public final class MillraceAutoConfiguration {
    /** The system property of the file that keeps the code of kernels. */
    private static final String KEPT_CODE = "millrace.code";

    @Bean(destroyMethod = "close")
    @Lazy
    @ConditionalOnMissingBean
    Engine millraceEngine(
            MillraceProperties properties,
            ObjectProvider<EngineOptionsCustomizer> customizers,
            ObjectProvider<RequestListener> requestListeners,
            ObjectProvider<OpenListener> openListeners) {
        @Nullable File code = properties.engine().keptCode();
        if (code != null && System.getProperty(KEPT_CODE) == null) {
            System.setProperty(KEPT_CODE, code.getPath());
        }
        EngineOptions.Builder options = options(properties.engine());
        List<RequestListener> listeners = requestListeners.orderedStream().toList();
        if (!listeners.isEmpty()) {
            options.requestListener(listeners.size() == 1 ? listeners.getFirst() : new JoinedListeners(listeners));
        }
        customizers.orderedStream().forEach(each -> each.customize(options));
        Engine engine = Engine.create(options.build());
        openListeners.orderedStream().forEach(each -> each.opened(engine));
        return engine;
    }

    private static EngineOptions.Builder options(EngineProperties properties) {
        EngineOptions.Builder options = EngineOptions.builder().threads(properties.threads());
        @Nullable DataSize budget = properties.memoryBudget();
        if (budget != null) {
            options.memoryBudget(budget.toBytes());
        }
        @Nullable DataSize device = properties.deviceMemory();
        if (device != null) {
            options.deviceMemory(device.toBytes());
        }
        @Nullable File cache = properties.contextCache();
        if (cache != null) {
            options.contextCache(ContextCache.in(cache.toPath())
                    .withMaxBytes(properties.contextCacheSize().toBytes()));
        }
        return options;
    }

    @Bean
    MillraceSessions millraceSessions(
            ObjectProvider<Engine> engine,
            ResourceLoader resources,
            Environment environment,
            ObjectProvider<SessionOptionsCustomizer> customizers,
            ObjectProvider<OpenListener> openListeners) {
        var opener = new SessionOpener(
                engine::getObject, resources, customizers.orderedStream().toList());
        return new MillraceSessions(
                opener,
                environment,
                (name, session) -> openListeners.orderedStream().forEach(each -> each.opened(name, session)));
    }
}
