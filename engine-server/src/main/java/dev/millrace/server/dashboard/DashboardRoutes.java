package dev.millrace.server.dashboard;

import dev.millrace.server.access.Permissions;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.server.rest.HttpRouter;
import dev.millrace.server.timeline.RecentRequests;
import dev.millrace.session.Engine;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The routes of the page for operators. The page is the same for everybody; what it shows needs the token. */
public final class DashboardRoutes {
    private final GraphAnswers graphs;
    private final DashboardState state;
    private final RecentRequests recent;

    /** The pages, which are read when one is first asked for. */
    private static final class Pages {
        static final DashboardPage MODELS = DashboardPage.models();
        static final DashboardPage GRAPH = DashboardPage.graph();
    }

    /**
     * @param recent the requests whose times the page shows
     * @param active the requests that are being handled
     * @param ready whether the server takes requests
     */
    public DashboardRoutes(
            Engine engine,
            ModelRepository repository,
            RecentRequests recent,
            IntSupplier active,
            BooleanSupplier ready) {
        this.recent = recent;
        graphs = new GraphAnswers(repository);
        state = new DashboardState(engine, repository, active, ready);
    }

    public void addTo(HttpRouter router) {
        router.openRoute(HttpMethod.GET, "ui", _ -> Mono.fromSupplier(() -> Pages.MODELS.answer()));
        router.openRoute(HttpMethod.GET, "ui/graph", _ -> Mono.fromSupplier(() -> Pages.GRAPH.answer()));
        router.route(
                HttpMethod.GET,
                "ui/graph/*/*",
                call -> Mono.fromSupplier(() -> HttpAnswer.text(
                                "application/json", graphs.describe(call.variable(0), call.variable(1))))
                        .subscribeOn(Schedulers.boundedElastic()));
        // lists the folders of models
        router.route(
                HttpMethod.GET,
                "ui/state",
                call -> Mono.fromSupplier(() -> HttpAnswer.json(state.tree(call.permissions())))
                        .subscribeOn(Schedulers.boundedElastic()));
        router.route(
                HttpMethod.GET,
                "ui/requests",
                call -> Mono.fromSupplier(() -> HttpAnswer.json(requests(call.permissions())))
                        .subscribeOn(Schedulers.boundedElastic()));
    }

    private List<Map<String, @Nullable Object>> requests(Permissions permissions) {
        long now = System.nanoTime();
        return recent.newestFirst().stream()
                .filter(each -> permissions.maySee(each.model()))
                .map(each -> RequestTree.of(each, now))
                .toList();
    }
}
