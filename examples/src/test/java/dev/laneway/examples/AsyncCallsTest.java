package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AsyncCallsTest {
    @Test
    @DisplayName("B18 asynchronous calls of an account stay in order, though the service refuses one in seven")
    void callsOfAnAccountStayInOrder() throws Exception {
        try (Cluster cluster = Shared.cluster();
                AccountService service = AccountService.start(AsyncCalls.RECORDS)) {
            AsyncCalls.run(cluster, service);

            assertThat(service.accepted()).hasSize(AsyncCalls.ACCOUNTS);
            for (int account = 0; account < AsyncCalls.ACCOUNTS; account++) {
                assertThat(service.accepted().get("account-" + account)).isEqualTo(visits(account));
            }
            assertThat(service.requests()).isGreaterThan(AsyncCalls.RECORDS);
            assertThat(service.mostAtOnce()).isGreaterThan(1).isLessThanOrEqualTo(AsyncCalls.ACCOUNTS);
        }
    }

    private static List<String> visits(int account) {
        return IntStream.iterate(account, i -> i < AsyncCalls.RECORDS, i -> i + AsyncCalls.ACCOUNTS)
                .mapToObj(String::valueOf)
                .toList();
    }
}
