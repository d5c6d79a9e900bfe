package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.ops.observe.PrometheusSource;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.TreeSet;

/** URLs with each address that a name has, since members come and go behind it. Stateless. */
final class NamedEndpoints {
    private NamedEndpoints() {}

    static void check(String url) {
        try {
            PrometheusSource.of(url).close();
        } catch (IllegalArgumentException wrong) {
            throw new ConfigurationException(
                    "--prometheus-each", url, String.valueOf(wrong.getMessage()), "see --help");
        }
    }

    /** Those of now; none while the name has no address, as one of a service without pods. */
    static Set<String> of(String url) {
        Set<String> urls = new TreeSet<>();
        try {
            URI uri = URI.create(url);
            for (InetAddress address : InetAddress.getAllByName(uri.getHost())) {
                urls.add(new URI(
                                uri.getScheme(),
                                uri.getUserInfo(),
                                address.getHostAddress(),
                                uri.getPort(),
                                uri.getPath(),
                                uri.getQuery(),
                                null)
                        .toString());
            }
        } catch (UnknownHostException none) {
            return Set.of();
        } catch (URISyntaxException wrong) {
            throw new IllegalStateException("an address makes no URL", wrong);
        }
        return urls;
    }
}
