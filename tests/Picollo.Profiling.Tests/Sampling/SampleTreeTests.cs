using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Tests.Sampling;

public class SampleTreeTests
{
    private const ulong KernelMark = unchecked((ulong)-128);
    private const ulong UserMark = unchecked((ulong)-512);

    private SampleTree _tree = new(new NodeBudget(100));

    [Fact]
    public void Equal_stacks_share_nodes_and_callers_have_the_address_of_the_call()
    {
        Add(4, UserMark, 0x30, 0x21, 0x11);
        Add(4, UserMark, 0x30, 0x21, 0x11);
        Add(4, UserMark, 0x20, 0x11);

        _tree.SampleCount.Should().Be(3);
        _tree.Nodes.Should().Equal(
            new SampleTree.Node(-1, 0x10, 0),
            new SampleTree.Node(0, 0x20, 1), // as a caller, and as the innermost
            new SampleTree.Node(1, 0x30, 2));
    }

    [Fact]
    public void The_innermost_addresses_of_kernel_and_program_are_unchanged()
    {
        Add(5, KernelMark, 0xff50, 0xff41, UserMark, 0x30, 0x21);

        _tree.Nodes.Select(node => node.Address).Should().Equal(0x20ul, 0x30ul, 0xff40ul, 0xff50ul);
    }

    [Fact]
    public void A_return_address_of_zero_and_a_sample_without_addresses_are_ignored()
    {
        Add(127, UserMark, 0x30, 0);
        _tree.TryAdd([UserMark], maxStackLength: 4).Should().BeFalse();
        _tree.TryAdd([], maxStackLength: 4).Should().BeFalse();

        _tree.Nodes.Should().Equal(new SampleTree.Node(-1, 0x30, 1));
        _tree.SampleCount.Should().Be(1);
    }

    [Fact]
    public void A_truncated_stack_has_a_separate_node()
    {
        Add(3, UserMark, 0x20, 0x11);
        _tree.Nodes[0].Address.Should().Be(0x10, "the mark is not an address");
        _tree = new SampleTree(new NodeBudget(100));
        Add(2, UserMark, 0x20, 0x11);

        _tree.Nodes[0].Address.Should().Be(SampleTree.Truncated);
        _tree.Nodes[2].Should().Be(new SampleTree.Node(1, 0x20, 1));
    }

    [Fact]
    public void Memory_is_bounded_for_all_trees_together()
    {
        var budget = new NodeBudget(3);
        SampleTree second = new(budget);
        _tree = new SampleTree(budget);

        Add(4, 0x20, 0x11);
        second.TryAdd([0x20, 0x11], maxStackLength: 4).Should().BeFalse();
        Add(4, 0x20, 0x11); // the stack already has nodes

        (_tree.SampleCount, second.SampleCount).Should().Be((2, 0));
    }

    [Fact]
    public void A_stack_without_memory_is_not_added_to_another_one()
    {
        Add(4, 0x30, 0x21, 0x11); // as if 10 had called 30, without the 20 in between
        Add(4, 0x30, 0x61); // as if 30 had no caller
        Add(4, 0x30, 0x11);
        SampleTree added = _tree;
        _tree = new SampleTree(new NodeBudget(5));
        Add(4, 0x30, 0x11);
        Add(4, 0x30);
        Add(4, 0x40, 0x51);

        _tree.AddAll(added).Should().Be(1, "one of the three already has nodes");

        _tree.SampleCount.Should().Be(4);
        _tree.Nodes.Should().Equal(
            new SampleTree.Node(-1, 0x10, 0),
            new SampleTree.Node(0, 0x30, 2),
            new SampleTree.Node(-1, 0x30, 1),
            new SampleTree.Node(-1, 0x50, 0),
            new SampleTree.Node(3, 0x40, 1));
    }

    private void Add(int maxStackLength, params ulong[] chain) => _tree.TryAdd(chain, maxStackLength).Should().BeTrue();
}
