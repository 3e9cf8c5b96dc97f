package dev.millrace.spring.ai;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.ModelFiles;
import dev.millrace.models.ModelName;
import dev.millrace.session.Engine;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.GeneratorOptions;
import dev.millrace.spring.boot.MillraceAutoConfiguration;
import dev.millrace.spring.boot.ModelLocation;
import dev.millrace.spring.boot.ModelOpenException;
import dev.millrace.spring.boot.SessionOptionsCustomizer;
import dev.millrace.spring.boot.SessionProperties;
import dev.millrace.text.LanguageModel;
import dev.millrace.text.ModelFolder;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.observation.ChatModelObservationConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Configures the chat model of the properties {@code millrace.chat}, unless there is another one. */
@AutoConfiguration(after = MillraceAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@Conditional(OnModel.Chat.class)
@ConditionalOnMissingBean(ChatModel.class)
@EnableConfigurationProperties(ChatProperties.class)
public final class MillraceChatAutoConfiguration {
    static final String PREFIX = "millrace.chat";

    private static final String MODEL = PREFIX + ".model";

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    LanguageModel millraceLanguageModel(
            Engine engine,
            ChatProperties properties,
            Environment environment,
            ObjectProvider<SessionOptionsCustomizer> customizers) {
        String folder = properties.model();
        if (folder == null) {
            throw new ModelOpenException(
                    MODEL, null, new EngineException(Status.NO_SUCH_FILE, "the chat has no model"));
        }
        try {
            ModelFolder read = ModelFolder.read(folder(folder));
            String name = read.folder().toAbsolutePath().getFileName().toString();
            SessionOptions.Builder options = Binder.get(environment)
                    .bindOrCreate(PREFIX, SessionProperties.class)
                    .sessionOptions(name);
            customizers.orderedStream().forEach(each -> each.customize(name, options));
            GeneratorOptions generator = GeneratorOptions.builder()
                    .prefixBytes(properties.prefixCache().toBytes())
                    .build();
            return LanguageModel.open(engine, read, options.build(), generator);
        } catch (EngineException e) {
            throw new ModelOpenException(MODEL, folder, e);
        }
    }

    /** Returns the folder that a property means: a path, or a name that is fetched unless it was fetched before. */
    private static Path folder(String text) {
        return ModelLocation.isName(text)
                ? ModelFiles.ofEnvironment()
                        .fetchWithFolder(ModelName.parse(text))
                        .folder()
                : Path.of(text);
    }

    @Bean
    EngineChatModel millraceChatModel(
            LanguageModel language,
            ChatProperties properties,
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<ChatModelObservationConvention> convention) {
        EngineChatModel.Builder model = EngineChatModel.builder(language).options(properties.chatOptions());
        registry.ifUnique(model::observationRegistry);
        convention.ifUnique(model::observationConvention);
        return model.build();
    }
}
